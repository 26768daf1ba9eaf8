import { z } from 'zod'
import { configSchema, type Config } from '../kernel/contract/config.ts'
import { reachOf, type ServerReach, type ServerSettings } from '../kernel/contract/server-settings.ts'
import { GUESTS } from './guests.ts'

const SECTIONS = await Promise.all(GUESTS.flatMap(({ section }) => (section === undefined ? [] : [section()])))

/** What `sluice.yaml` may contain in this build. */
export const CONFIG: z.ZodType<Config> = configSchema(SECTIONS)

/** What a tool server starts, contacts and reads. */
export const reachOfServer = (settings: ServerSettings): ServerReach => reachOf(SECTIONS, settings)

/** Folders, besides the configuration's own, whose files a gate reads. */
export const foldersOf = (config: Config): readonly string[] =>
  SECTIONS.flatMap(({ folders }) => folders?.(config) ?? [])

/** A part of the configuration's JSON Schema: what is needed to say what is allowed where. */
export type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  /** For a map whose keys are a fixed list. */
  readonly propertyNames?: { readonly enum?: readonly string[] }
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
}

let whole: Schema | undefined
const root = (): Schema =>
  (whole ??= z.toJSONSchema(CONFIG, { io: 'input', unrepresentable: 'any' }) as unknown as Schema)

/** Everything the schema allows at a path: several schemas if there is a choice. */
export function schemasAt(path: readonly PropertyKey[]): readonly Schema[] {
  let present = choices(root())
  for (const key of path) present = schemasBelow(present, String(key))
  return present
}

/** What is allowed under a key. */
export const schemasBelow = (schemas: readonly Schema[], key: string): readonly Schema[] =>
  schemas.flatMap((schema) => below(schema, key).flatMap(choices))

function below({ properties, additionalProperties, items }: Schema, key: string): readonly Schema[] {
  if (properties !== undefined && Object.hasOwn(properties, key)) return [properties[key] ?? {}]
  if (typeof additionalProperties === 'object') return [additionalProperties]
  return items === undefined ? [] : [items]
}

function choices(schema: Schema): readonly Schema[] {
  const { anyOf = [], oneOf = [], allOf = [], $ref } = schema
  const named = $ref === undefined ? [] : [root().$defs?.[$ref.replace('#/$defs/', '')] ?? {}]
  const parts = [...anyOf, ...oneOf, ...allOf, ...named]
  return parts.length === 0 ? [schema] : parts.flatMap(choices)
}

export const keysOf = (schemas: readonly Schema[]): readonly string[] => [
  ...new Set(
    schemas.flatMap(({ properties = {}, propertyNames }) => [
      ...Object.keys(properties),
      ...(propertyNames?.enum ?? []),
    ]),
  ),
]
