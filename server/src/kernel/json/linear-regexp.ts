import { flagsFor, readPattern, type Flags, type RegexpPattern } from './regexp-syntax.ts'
import { MAX_STEPS, spend, type SchemaBudget } from './schema-steps.ts'

/**
 * Regular expressions for patterns written by a tool server and strings sent by an agent. The native engine backtracks: a
 * careless pattern such as `^(a+)+$` takes exponential time on thirty letters. Here all alternatives are followed at once
 * (Thompson's construction), so the time is at most the length of the text times the size of the pattern, and bounded.
 */
export type LinearRegExp = { readonly test: (text: string) => boolean; readonly toString: () => string }

/** A state. `one` consumes a character, `fork` and `edge` do not; `to` is the next state. */
type One = { readonly do: 'one'; readonly fits: (character: string) => boolean; readonly to: number }
type Op =
  | One
  | { readonly do: 'fork'; readonly to: readonly number[] }
  | { readonly do: 'edge'; readonly holds: Condition; readonly to: number }
  | { readonly do: 'match' }
type Condition = (text: Text, at: number) => boolean
type Program = { readonly ops: readonly Op[]; readonly start: number; readonly backwards: boolean }
/** `looks` caches where a lookaround holds: each is computed once per text, for all positions at once. */
type Text = {
  readonly characters: readonly string[]
  readonly looks: Map<Program, Uint8Array>
  readonly meter: SchemaBudget
}

/** What all programs of one pattern share while they are built: a repeated part is copied, its tests and lookarounds are not. */
type Shared = {
  readonly flags: Flags
  readonly tests: Map<string, One['fits']>
  readonly looks: Map<RegexpPattern, Condition>
  readonly meter: SchemaBudget
  size: number
}
type Building = { readonly ops: Op[]; readonly backwards: boolean; readonly shared: Shared }

const MAX_OPS = 20_000
/** Building a state takes longer than visiting one. */
const STEPS_PER_OP = 5

function put({ ops, shared }: Building, op: Op): number {
  shared.size += 1
  if (shared.size > MAX_OPS) throw new SyntaxError('the pattern is too large')
  spend(shared.meter, STEPS_PER_OP)
  return ops.push(op) - 1
}

function memo<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** A single class cannot backtrack, so the native engine tests single characters; ASCII uses a table. */
function characterTest(source: string, flags: Flags): One['fits'] {
  const native = new RegExp(`^${source}$`, flags)
  const ascii = Array.from({ length: 128 }, (_, code) => native.test(String.fromCharCode(code)))
  return (character) => ascii[character.charCodeAt(0)] ?? native.test(character)
}

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character)
const isWordEdge: Condition = ({ characters }, at) => isWord(characters[at - 1]) !== isWord(characters[at])
const EDGES: Readonly<Record<(RegexpPattern & { is: 'edge' })['at'], Condition>> = {
  start: (_, at) => at === 0,
  end: ({ characters }, at) => at === characters.length,
  word: isWordEdge,
  no_word: (text, at) => !isWordEdge(text, at),
}

/**
 * A lookahead is matched backwards from every end, a lookbehind forwards from every start; this gives the result for each
 * position.
 */
function lookCondition({ of, where, wanted }: RegexpPattern & { is: 'look' }, shared: Shared): Condition {
  const program = programOf(of, where === 'ahead', shared)
  return (text, at) => (memo(text.looks, program, () => placesOf(program, text))[at] === 1) === wanted
}

function addRepeat(building: Building, { of, min, max }: RegexpPattern & { is: 'repeat' }, next: number): number {
  let start = next
  if (max === Infinity) {
    const to: number[] = [next]
    start = put(building, { do: 'fork', to })
    to.push(add(building, of, start))
  }
  const optional = max === Infinity ? 0 : max - min
  for (let copy = 0; copy < optional; copy += 1)
    start = put(building, { do: 'fork', to: [next, add(building, of, start)] })
  for (let copy = 0; copy < min; copy += 1) start = add(building, of, start)
  return start
}

/** Adds states that match the pattern and continue with `next`; returns the first. */
function add(building: Building, pattern: RegexpPattern, next: number): number {
  const { backwards, shared } = building
  switch (pattern.is) {
    case 'one': {
      const fits = memo(shared.tests, pattern.source, () => characterTest(pattern.source, shared.flags))
      return put(building, { do: 'one', fits, to: next })
    }
    case 'all':
      return (backwards ? pattern.of : pattern.of.toReversed()).reduce((to, part) => add(building, part, to), next)
    case 'any':
      return put(building, { do: 'fork', to: pattern.of.map((option) => add(building, option, next)) })
    case 'repeat':
      return addRepeat(building, pattern, next)
    case 'edge':
      return put(building, { do: 'edge', holds: EDGES[pattern.at], to: next })
    case 'look':
      break
  }
  const holds = memo(shared.looks, pattern, () => lookCondition(pattern, shared))
  return put(building, { do: 'edge', holds, to: next })
}

function programOf(pattern: RegexpPattern, backwards: boolean, shared: Shared): Program {
  const building: Building = { ops: [], backwards, shared }
  const match = put(building, { do: 'match' })
  return { ops: building.ops, start: add(building, pattern, match), backwards }
}

/** Follows all transitions that consume nothing. `seen` has for each state the last position at which it was reached. */
function reach({ ops }: Program, text: Text, from: number[], at: number, seen: Int32Array) {
  const ones: One[] = []
  let isMatch = false
  let reached = 0
  for (let state = from.pop(); state !== undefined; state = from.pop()) {
    if (seen[state] === at) continue
    seen[state] = at
    reached += 1
    const op = ops[state]
    if (op?.do === 'one') ones.push(op)
    else if (op?.do === 'fork') from.push(...op.to)
    else if (op?.do === 'match') isMatch = true
    else if (op?.holds(text, at)) from.push(op.to)
  }
  spend(text.meter, reached)
  return { ones, isMatch }
}

/** Walks over a text and reports each position where a match that began at any earlier position ends. Stops when `stopAt` returns true. */
function walk(program: Program, text: Text, stopAt: (at: number) => boolean): void {
  const { characters } = text
  const [first, last, step] = program.backwards ? [characters.length, 0, -1] : [0, characters.length, 1]
  const seen = new Int32Array(program.ops.length).fill(-1)
  let states: number[] = []
  for (let at = first; ; at += step) {
    states.push(program.start)
    const { ones, isMatch } = reach(program, text, states, at, seen)
    if ((isMatch && stopAt(at)) || at === last) return
    const character = characters[program.backwards ? at - 1 : at] ?? ''
    states = ones.filter((one) => one.fits(character)).map((one) => one.to)
  }
}

function placesOf(program: Program, text: Text): Uint8Array {
  const places = new Uint8Array(text.characters.length + 1)
  walk(program, text, (at) => {
    places[at] = 1
    return false
  })
  return places
}

/** With more possible paths through a text than this, the native engine is not used. */
const MAX_PATHS = 10_000
const MAX_NEEDED = 256

/**
 * The longest text on which backtracking is harmless. A sequence of characters from the start of the text, k of them repeated
 * freely, has at most (n + 1)^k paths through n characters. Most patterns are such sequences and most texts are short: there the
 * native engine is a hundred times faster. Patterns with groups, alternatives or lookarounds never use it.
 */
function nativeLimit(pattern: RegexpPattern): number {
  const parts = pattern.is === 'all' ? pattern.of : []
  const [first] = parts
  const isAnchored = first?.is === 'edge' && first.at === 'start'
  const isRow = parts.every((part) => ['one', 'edge'].includes(part.is === 'repeat' ? part.of.is : part.is))
  const repeats = parts.filter((part) => part.is === 'repeat')
  const needed = repeats.reduce((sum, { min }) => sum + min, 0)
  if (!isAnchored || !isRow || needed > MAX_NEEDED) return 0
  const free = repeats.filter(({ min, max }) => min !== max).length
  return MAX_PATHS ** (1 / free) - 1
}

const unmetered = (): SchemaBudget => ({ steps: 0, most: MAX_STEPS })

/**
 * Compiles a pattern that gives the same results as the native engine. Throws a SyntaxError for invalid expressions, back
 * references, and patterns of more than 20,000 states. A test throws a RangeError instead of running for long; all tests that
 * share a meter share its limit.
 */
export function linearRegExp(source: string, meter?: SchemaBudget): LinearRegExp {
  const flags = flagsFor(source)
  const shared: Shared = { flags, tests: new Map(), looks: new Map(), meter: meter ?? unmetered(), size: 0 }
  const pattern = readPattern(source, flags)
  const program = programOf(pattern, false, shared)
  const native = new RegExp(source, flags)
  const limit = nativeLimit(pattern)
  const test = (value: string): boolean => {
    const own = meter ?? unmetered()
    spend(own, 1)
    if (value.length <= limit) return native.test(value)
    const characters = flags === 'u' ? Array.from(value) : value.split('')
    let found = false
    walk(program, { characters, looks: new Map(), meter: own }, () => (found = true))
    return found
  }
  return { test, toString: () => `/${source}/${flags}` }
}
