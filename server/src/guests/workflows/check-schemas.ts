import type { DocumentFault } from './raw-document.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { compileSchema } from '../../kernel/json/validate-args.ts'
import type { LocatedDocument } from './locate-document.ts'
import { isRaw, mapIn } from './raw-document.ts'

export const EXTERNAL_REF = 'external schema references are not supported; use workflow.schemas'
const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

/** Every schema of the document has to compile on its own. */
export function checkSchemas(located: LocatedDocument): DocumentFault[] {
  return Object.entries(mapIn(mapIn(located.value, 'workflow'), 'schemas')).flatMap(([name, schema]) => {
    const says = faultOf(name, schema)
    return says === undefined ? [] : [located.atKey(['workflow', 'schemas'], name, says)]
  })
}

function faultOf(name: string, schema: unknown): string | undefined {
  const invalid = `workflow schema ${name}: invalid JSON Schema`
  if (!isRaw(schema)) return invalid
  if (refsIn(schema).some((ref) => !ref.startsWith('#'))) return EXTERNAL_REF
  const dialect = schema['$schema']
  if (dialect !== undefined && (typeof dialect !== 'string' || !DIALECT.test(dialect))) return invalid
  return compiles(schema as JsonObject) ? undefined : invalid
}

/** Only a cache: compiling a schema takes milliseconds, and most versions of a document have the same ones. */
const known = new Map<string, boolean>()
const MOST_KNOWN = 1_000

function compiles(schema: JsonObject): boolean {
  const text = JSON.stringify(schema)
  const isSound = known.get(text) ?? compileSchema(schema).ok
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, isSound)
  return isSound
}

/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

function refsIn(value: unknown, depth = 0): string[] {
  if (depth > 100) return []
  if (Array.isArray(value)) return value.flatMap((one) => refsIn(one, depth + 1))
  if (!isRaw(value)) return []
  return Object.entries(value).flatMap(([key, one]) => {
    if ((key === '$ref' || key === '$dynamicRef') && typeof one === 'string') return [one]
    return DATA.has(key) ? [] : refsIn(one, depth + 1)
  })
}

/** References are plain keys: nothing that could be a URL or a path. */
export const isExternalRef = (ref: string): boolean => ref.includes('://') || ref.startsWith('#') || /[/\\]/.test(ref)
