import type { Glob } from './glob.ts'
import { GLOB_FIELDS, type MatchField, type Names, WORD_FIELDS } from './match.ts'
import type { CompiledRule } from './policy.ts'

type Shelf = ReadonlyMap<string, readonly CompiledRule[]>

/** The rules of one field: by whole name, by how a name starts and by how it ends. */
type FieldIndex = {
  readonly field: MatchField
  readonly exact: Shelf
  readonly prefixes: Affixes
  readonly suffixes: Affixes
}
type Affixes = { readonly shelf: Shelf; readonly lengths: readonly number[] }

/** Each rule stands under one of its fields, the one that tells it best from the others; `rest` is looked at always. */
export type RuleIndex = { readonly fields: readonly FieldIndex[]; readonly rest: readonly CompiledRule[] }

type Key = { readonly how: 'exact' | 'prefix' | 'suffix'; readonly text: string }
type Placement = { readonly field: MatchField; readonly keys: readonly Key[] }

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
  const shelves = new Map<string, CompiledRule[]>()
  const rest: CompiledRule[] = []
  for (const [at, rule] of rules.entries()) {
    const best = leastBy(options[at] ?? [], crowding)
    if (best === undefined) rest.push(rule)
    else for (const key of best.keys) putOn(shelves, spell(best.field, key), rule)
  }
  const fields = [...GLOB_FIELDS, ...WORD_FIELDS].map((field) => fieldIndex(field, shelves))
  return {
    fields: fields.filter(
      ({ exact, prefixes, suffixes }) => exact.size + prefixes.shelf.size + suffixes.shelf.size > 0,
    ),
    rest,
  }
}

/** Calls `see` for every rule that could match, a rule with several keys perhaps more than once. */
export function eachCandidate(index: RuleIndex, names: Names, see: (rule: CompiledRule) => void): void {
  for (const { field, exact, prefixes, suffixes } of index.fields) {
    for (const name of names[field]) {
      for (const rule of exact.get(name) ?? NONE) see(rule)
      for (const length of prefixes.lengths) {
        for (const rule of prefixes.shelf.get(name.slice(0, length)) ?? NONE) see(rule)
      }
      for (const length of suffixes.lengths) {
        for (const rule of suffixes.shelf.get(name.slice(-length)) ?? NONE) see(rule)
      }
    }
  }
  for (const rule of index.rest) see(rule)
}

const NONE: readonly CompiledRule[] = []

/** The fields by which a rule can be found; a field with a pattern like `*` or `*x*` is none. */
function placementsOf({ match }: CompiledRule): Placement[] {
  const words = match.words.map(({ field, any }) => ({
    field,
    keys: any.map((text): Key => ({ how: 'exact', text })),
  }))
  const globs = match.globs.map(({ field, any }) => ({ field, keys: any.map(keyOf) }))
  return [
    ...globs.flatMap(({ field, keys }) => (keys.every(isKey) ? [{ field, keys: keys.filter(isKey) }] : [])),
    ...words,
  ]
}

const isKey = (key: Key | undefined): key is Key => key !== undefined

function keyOf(glob: Glob): Key | undefined {
  if (glob.exact) return { how: 'exact', text: glob.pattern }
  if (glob.prefix === '' && glob.suffix === '') return undefined
  return glob.prefix.length >= glob.suffix.length
    ? { how: 'prefix', text: glob.prefix }
    : { how: 'suffix', text: glob.suffix }
}

const spell = (field: MatchField, key: Key) => `${field} ${key.how} ${key.text}`

function leastBy<T>(items: readonly T[], weight: (item: T) => number): T | undefined {
  let least: { readonly item: T; readonly weight: number } | undefined
  for (const item of items) {
    const own = weight(item)
    if (least === undefined || own < least.weight) least = { item, weight: own }
  }
  return least?.item
}

function putOn(shelves: Map<string, CompiledRule[]>, name: string, rule: CompiledRule): void {
  const shelf = shelves.get(name)
  if (shelf === undefined) shelves.set(name, [rule])
  else if (shelf.at(-1) !== rule) shelf.push(rule)
}

function fieldIndex(field: MatchField, shelves: ReadonlyMap<string, readonly CompiledRule[]>): FieldIndex {
  const of = (how: Key['how']) => {
    const start = `${field} ${how} `
    const own = [...shelves].filter(([name]) => name.startsWith(start))
    return new Map(own.map(([name, rules]) => [name.slice(start.length), rules]))
  }
  return { field, exact: of('exact'), prefixes: affixes(of('prefix')), suffixes: affixes(of('suffix')) }
}

const affixes = (shelf: Shelf): Affixes => ({
  shelf,
  lengths: [...new Set([...shelf.keys()].map((text) => text.length))],
})
