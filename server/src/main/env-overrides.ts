import { parseDocument } from 'yaml'
import { nearest } from '../kernel/text/nearest.ts'
import { keysOf, schemasAt, schemasBelow, type Schema } from './config-schema.ts'

export type Env = Readonly<Record<string, string | undefined>>
/** A key of the configuration that the environment sets. */
export type Override = { readonly name: string; readonly path: readonly string[]; readonly value: unknown }
export type EnvFault = { readonly name: string; readonly says: string }
export type EnvRead = {
  readonly overrides: readonly Override[]
  readonly faults: readonly EnvFault[]
  /** Variables with our prefix that set nothing. They may belong to the user or the platform. */
  readonly ignored: readonly string[]
}

const PREFIX = 'SLUICE_'
/** Read elsewhere: by the command line as a client, and by programs run as tools. */
const OTHERS: readonly string[] = ['SLUICE_URL', 'SLUICE_KEY', 'SLUICE_IDEMPOTENCY_KEY', 'SLUICE_TRACE_ID']

/**
 * What the environment sets: `SLUICE_` and the keys of the path, joined by `_`: `SLUICE_LISTEN_PORT` is `listen.port`. `present`
 * is the file's value, whose own names (of servers, for example) can appear in a variable's name.
 */
export function envOverrides(env: Env, present: unknown): EnvRead {
  const overrides: Override[] = []
  const faults: EnvFault[] = []
  const ignored: string[] = []
  for (const [name, text = ''] of Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    // Many tools write an empty variable for an absent one.
    if (!name.startsWith(PREFIX) || text === '' || OTHERS.includes(name)) continue
    const words = name.slice(PREFIX.length).split('_')
    const path = pathOf(words, schemasAt([]), present, [])
    if (path === undefined) {
      const meant = isReferred(name, present) ? undefined : nearest(words.join('_').toLowerCase(), namesBelow([]))
      if (meant === undefined) ignored.push(name)
      else faults.push({ name, says: `not a configuration key, did you mean \`${nameOf(meant)}\`?` })
      continue
    }
    const value = valueOf(text, schemasAt(path))
    if (value === undefined)
      faults.push({ name, says: `${path.join('.')}: not valid YAML, put strings with YAML characters in quotes` })
    else overrides.push({ name, path, value: value.is })
  }
  return { overrides, faults, ignored }
}

const nameOf = (joined: string): string => `${PREFIX}${joined.toUpperCase()}`
/** A secret that the file references by this name is not a mistyped key. */
const isReferred = (name: string, present: unknown): boolean =>
  JSON.stringify(present ?? null).includes(`"env:${name}"`)

/** The keys that these words form, if any. A key may contain `_` or `-`, so the longest known one is tried first. */
function pathOf(
  words: readonly string[],
  schemas: readonly Schema[],
  present: unknown,
  above: readonly string[],
): readonly string[] | undefined {
  if (words.length === 0) return above
  const into = (key: string, taken: number) =>
    pathOf(words.slice(taken), schemasBelow(schemas, key), valueUnder(present, key), [...above, key])
  const known = [...keysOf(schemas), ...(isRecord(schemas) ? Object.keys(fieldsOf(present)) : [])]
  for (let taken = words.length; taken > 0; taken--) {
    const key = known.find((each) => plain(each) === plain(words.slice(0, taken).join('_')))
    const path = key === undefined ? undefined : into(key, taken)
    if (path !== undefined) return path
  }
  if (!isRecord(schemas)) return undefined
  for (let taken = 1; taken <= words.length; taken++) {
    const path = into(newKey(words.slice(0, taken), above.at(-1)), taken)
    if (path !== undefined) return path
  }
  return undefined
}

const plain = (key: string): string => key.toLowerCase().replaceAll('-', '_')
const isRecord = (schemas: readonly Schema[]): boolean =>
  schemas.some(({ additionalProperties }) => typeof additionalProperties === 'object')
const fieldsOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})
const valueUnder = (value: unknown, key: string): unknown => new Map(Object.entries(fieldsOf(value))).get(key)

/** A name that is not in the file: variables of a tool server keep their letters, names of servers have no `_`. */
function newKey(words: readonly string[], under: string | undefined): string {
  if (under === 'env') return words.join('_')
  return words.join(under === 'servers' || under === 'headers' ? '-' : '_').toLowerCase()
}

/** Strings are used as they are; everything else is YAML: `8080`, `true`, `[a, b]`, `{ key: value }`. */
function valueOf(text: string, schemas: readonly Schema[]): { readonly is: unknown } | undefined {
  if (schemas.every(({ type }) => type === 'string')) return { is: text }
  const document = parseDocument(text, { logLevel: 'silent' })
  return document.errors.length > 0 ? undefined : { is: document.toJS() as unknown }
}

/** The names of all keys that are in every configuration. */
function namesBelow(path: readonly string[]): readonly string[] {
  return keysOf(schemasAt(path)).flatMap((key) => [[...path, key].join('_'), ...namesBelow([...path, key])])
}
