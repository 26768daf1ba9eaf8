export type OfferedTool = { readonly name: string; readonly args: readonly string[] }

type Declared = {
  readonly type?: string
  readonly name?: string
  readonly parameters?: Schema
  readonly parametersJsonSchema?: Schema
  readonly function?: Declared
  readonly functionDeclarations?: readonly Declared[]
}
type Schema = { readonly properties?: object }

/** The tools in a request to a model, in any of the wire formats that the scripted model supports. */
export function offeredTools(body: string): readonly OfferedTool[] {
  const { tools = [] } = JSON.parse(body) as { tools?: readonly Declared[] }
  return tools
    .flatMap((tool): readonly Declared[] => tool.functionDeclarations ?? [tool.function ?? tool])
    .map(({ name, type, parameters, parametersJsonSchema }) => ({
      // Tools that the provider runs have a type and no name.
      name: name ?? type ?? '',
      args: Object.keys((parametersJsonSchema ?? parameters)?.properties ?? {}),
    }))
}
