import type { Glob } from './glob.ts'
import {
  type CompiledMatch,
  GLOB_FIELDS,
  type GlobField,
  type MatchField,
  type MatchNames,
  WORD_FIELDS,
} from './match.ts'
import type { CompiledRule } from './policy.ts'

/** A rule in an index entry, with what still has to be checked. */
export type IndexedRule = { readonly rule: CompiledRule; readonly match: CompiledMatch }
type RulesByKey = ReadonlyMap<string, readonly IndexedRule[]>

/** The rules indexed by one field: by whole name, by prefix and by suffix. */
type FieldIndex = {
  readonly field: MatchField
  readonly exact: RulesByKey
  readonly prefixes: Affixes
  readonly suffixes: Affixes
}
type Affixes = { readonly byKey: RulesByKey; readonly lengths: readonly number[] }

/** Each rule is indexed by one of its fields, the most selective one; the rules in `rest` are always checked. */
export type RuleIndex = { readonly fields: readonly FieldIndex[]; readonly rest: readonly IndexedRule[] }

type Key = { readonly how: 'exact' | 'prefix' | 'suffix'; readonly text: string }
/** `whole`: a call that has one of the keys needs no further check of the field. */
type Placement = { readonly field: MatchField; readonly keys: readonly Key[]; readonly whole: boolean }

export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  const options = rules.map(placementsOf)
  const crowd = new Map<string, number>()
  for (const placement of options.flat()) {
    for (const key of placement.keys) {
      const name = spell(placement.field, key)
      crowd.set(name, (crowd.get(name) ?? 0) + 1)
    }
  }
  const crowding = ({ field, keys }: Placement) => Math.max(...keys.map((key) => crowd.get(spell(field, key)) ?? 0))
  const tables = new Map<string, IndexedRule[]>()
  const rest: IndexedRule[] = []
  for (const [at, rule] of rules.entries()) {
    const best = leastBy(options[at] ?? [], crowding)
    const entry = { rule, match: best?.whole === true ? without(best.field, rule.match) : rule.match }
    if (best === undefined) rest.push(entry)
    else for (const key of best.keys) putOn(tables, spell(best.field, key), entry)
  }
  const fields = [...GLOB_FIELDS, ...WORD_FIELDS].map((field) => fieldIndex(field, tables))
  return {
    fields: fields.filter(
      ({ exact, prefixes, suffixes }) => exact.size + prefixes.byKey.size + suffixes.byKey.size > 0,
    ),
    rest,
  }
}

/** The lists of all rules that could match; a rule with several keys may be in more than one. */
export function candidatesFor(index: RuleIndex, names: MatchNames): (readonly IndexedRule[])[] {
  const found = index.rest.length === 0 ? [] : [index.rest]
  for (const { field, exact, prefixes, suffixes } of index.fields) {
    const known = names[field]
    if (known === undefined)
      found.push(...[exact, prefixes.byKey, suffixes.byKey].flatMap((byKey) => [...byKey.values()]))
    for (const name of known ?? []) {
      put(found, exact.get(name))
      for (const length of prefixes.lengths) put(found, prefixes.byKey.get(name.slice(0, length)))
      for (const length of suffixes.lengths) put(found, suffixes.byKey.get(name.slice(-length)))
    }
  }
  return found
}

/** How a rule is found, in words. Empty: it is checked for every call. */
export function keysOf(index: RuleIndex, rule: CompiledRule): string[] {
  const on = (byKey: RulesByKey) => [...byKey].filter(([, entries]) => entries.some((entry) => entry.rule === rule))
  return index.fields.flatMap(({ field, exact, prefixes, suffixes }) => [
    ...on(exact).map(([name]) => `${field} is ${name}`),
    ...on(prefixes.byKey).map(([text]) => `${field} begins with ${text}`),
    ...on(suffixes.byKey).map(([text]) => `${field} ends with ${text}`),
  ])
}

function put<T>(list: T[], item: T | undefined): void {
  if (item !== undefined) list.push(item)
}

/** The fields by which a rule can be indexed; a field with a pattern like `*` or `*x*` cannot. */
function placementsOf({ match }: CompiledRule): Placement[] {
  const words = match.words.map(({ field, any }): Placement => {
    return { field, keys: any.map((text) => ({ how: 'exact', text })), whole: true }
  })
  // Many rules may share a prefix and differ in their suffix, or the reverse. Which is more selective is known only when all are
  // collected.
  const globs = match.globs.flatMap(({ field, any }) =>
    (any.some(isTwoSided) ? [startOf, endOf] : [startOf]).flatMap((keyOf): Placement[] => {
      const keys = any.map(keyOf).filter(isKey)
      return keys.length === any.length ? [{ field, keys, whole: any.every(isOneSided) && isAlwaysKnown(field) }] : []
    }),
  )
  return [...globs, ...words]
}

/** A rule found by a name that may be unknown still has to be checked. */
const isAlwaysKnown = (field: GlobField) => field !== 'tag' && field !== 'lane'

/** A name itself, or a pattern that is fully described by its key. */
const isOneSided = (glob: Glob) => glob.exact || (glob.simple && (glob.prefix === '' || glob.suffix === ''))

const isTwoSided = ({ exact, prefix, suffix }: Glob) => !exact && prefix !== '' && suffix !== ''

function without(field: MatchField, { globs, words }: CompiledMatch): CompiledMatch {
  return { globs: globs.filter((part) => part.field !== field), words: words.filter((part) => part.field !== field) }
}

const isKey = (key: Key | undefined): key is Key => key !== undefined

const startOf = (glob: Glob): Key | undefined => exactOf(glob) ?? prefixOf(glob) ?? suffixOf(glob)
const endOf = (glob: Glob): Key | undefined => exactOf(glob) ?? suffixOf(glob) ?? prefixOf(glob)

const exactOf = ({ exact, pattern }: Glob): Key | undefined => (exact ? { how: 'exact', text: pattern } : undefined)
const prefixOf = ({ prefix }: Glob): Key | undefined => (prefix === '' ? undefined : { how: 'prefix', text: prefix })
const suffixOf = ({ suffix }: Glob): Key | undefined => (suffix === '' ? undefined : { how: 'suffix', text: suffix })

const spell = (field: MatchField, key: Key) => `${field} ${key.how} ${key.text}`

function leastBy<T>(items: readonly T[], weight: (item: T) => number): T | undefined {
  let least: { readonly item: T; readonly weight: number } | undefined
  for (const item of items) {
    const own = weight(item)
    if (least === undefined || own < least.weight) least = { item, weight: own }
  }
  return least?.item
}

function putOn(tables: Map<string, IndexedRule[]>, name: string, entry: IndexedRule): void {
  const entries = tables.get(name)
  if (entries === undefined) tables.set(name, [entry])
  else if (entries.at(-1) !== entry) entries.push(entry)
}

function fieldIndex(field: MatchField, tables: RulesByKey): FieldIndex {
  const of = (how: Key['how']) => {
    const start = `${field} ${how} `
    const own = [...tables].filter(([name]) => name.startsWith(start))
    return new Map(own.map(([name, entries]) => [name.slice(start.length), entries]))
  }
  return { field, exact: of('exact'), prefixes: affixes(of('prefix')), suffixes: affixes(of('suffix')) }
}

const affixes = (byKey: RulesByKey): Affixes => ({
  byKey,
  lengths: [...new Set([...byKey.keys()].map((text) => text.length))],
})
