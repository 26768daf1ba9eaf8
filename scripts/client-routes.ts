/** A JSON Schema, as far as the OpenAPI document uses one. */
type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly nullable?: boolean
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>
type Operation = {
  readonly summary?: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
export type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

/** The types of `sluice/client`: the request and the answer of each route, from the OpenAPI document. */
export function clientRoutes({ paths }: Document): string {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => routeLines(method, path, operation)),
  )
  return [
    '/* Generated from the OpenAPI document by `npm run generate`. The request and the answer of each route. */',
    '',
    '/** Any JSON value. */',
    'export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }',
    '',
    'export type Routes = {',
    ...routes,
    '}',
    '',
  ].join('\n')
}

function routeLines(method: string, path: string, operation: Operation): string[] {
  const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  const [, answer] = good[0] ?? []
  const media = Object.keys(answer?.content ?? {})
  // Answers that are not JSON are read as text or as a stream; MCP has its own clients.
  if (path === '/mcp' || path.startsWith('/.well-known') || media.includes('text/event-stream')) return []
  const schema = answer?.content?.['application/json']?.schema
  const answers = schema === undefined ? (media.length === 0 ? 'unknown' : 'string') : typeOf(schema)
  const body = operation.requestBody?.content['application/json']?.schema
  const inPath = (operation.parameters ?? []).filter((one) => one.in === 'path')
  const inQuery = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const fields = [
    ...(inPath.length === 0
      ? []
      : [`path: { ${inPath.map(({ name }) => `readonly ${keyOf(name)}: string`).join('; ')} }`]),
    ...(inQuery.length === 0
      ? []
      : [
          `query: { ${inQuery.map(({ name, schema }) => `readonly ${keyOf(name)}?: ${typeOf(schema)} | undefined`).join('; ')} }`,
        ]),
    ...(body === undefined ? [] : [`body: ${typeOf(body)}`]),
    `answer: ${answers}`,
  ]
  const summary = (operation.summary ?? '').replaceAll('*/', '*\\/')
  return [
    `  /** ${summary} */`,
    `  '${method.toUpperCase()} ${path}': {`,
    ...fields.map((field) => `    ${field}`),
    '  }',
  ]
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

function typeOf(schema: Schema): string {
  const type = plainType(schema)
  return schema.nullable === true ? `${type} | null` : type
}

function plainType(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return union(choices.map(typeOf))
  if (schema.allOf !== undefined) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type: String(type) })))
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return schema.items === undefined ? 'readonly Json[]' : `readonly (${typeOf(schema.items)})[]`
    case 'object':
      return objectType(schema)
    default:
      return 'Json'
  }
}

/** A literal next to `string` adds nothing. */
function union(types: readonly string[]): string {
  const isLiteral = (type: string) => types.includes('string') && /^"[^"]*"$/.test(type)
  return [...new Set(types)].filter((type) => !isLiteral(type)).join(' | ')
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `readonly ${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}${required.includes(name) ? '' : ' | undefined'}`,
  )
  const isOpen = typeof additionalProperties === 'object'
  if (fields.length === 0) {
    const value = isOpen ? typeOf(additionalProperties) : 'Json'
    return `{ readonly [name: string]: ${value} }`
  }
  return `{ ${fields.join('; ')} }`
}
