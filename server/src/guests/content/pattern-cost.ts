import { readPattern, type RegexpPattern as Parsed } from '../../kernel/json/regexp-syntax.ts'

/** A set of characters: one bit per ASCII code, and bit 128 for everything else. */
type CharSet = bigint
const ALL: CharSet = (1n << 129n) - 1n

/** The subset of regular expressions that rules may use: no back references, no Unicode properties. */
export type Pattern =
  | { readonly is: 'set'; readonly set: CharSet }
  | { readonly is: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly is: 'choice'; readonly options: readonly Pattern[] }
  | { readonly is: 'repeat'; readonly body: Pattern; readonly min: number; readonly max: number }
  | { readonly is: 'look'; readonly body: Pattern }
  | { readonly is: 'assertion' }

/** Parses a pattern; `undefined` if it is not one, or uses something outside the subset. */
export function parsePattern(source: string, ignoreCase: boolean): Pattern | undefined {
  try {
    // The parser reads only what the engine has accepted.
    return withSets(readPattern(new RegExp(source).source, ''), ignoreCase)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function withSets(parsed: Parsed, ignoreCase: boolean): Pattern {
  const inner = (each: Parsed) => withSets(each, ignoreCase)
  switch (parsed.is) {
    case 'one':
      return { is: 'set', set: ignoreCase ? folded(setOf(parsed.source)) : setOf(parsed.source) }
    case 'all':
      return { is: 'sequence', items: parsed.of.map(inner) }
    case 'any':
      return { is: 'choice', options: parsed.of.map(inner) }
    case 'repeat':
      return { is: 'repeat', body: inner(parsed.of), min: parsed.min, max: parsed.max }
    case 'look':
      return { is: 'look', body: inner(parsed.of) }
    default:
      return { is: 'assertion' }
  }
}

const UNIT = String.raw`(?:\\x[\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\?[^])`
/** A character or a range in a class; the group is a class where a range should end. */
const MEMBER = new RegExp(String.raw`\\[dDwWsS]|${UNIT}(?:-(?!$)(?:(\\[dDwWsS])|${UNIT}))?`, 'g')
/** Back references, Unicode properties and control letters are not among them. */
const ESCAPES = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|[dDwWsSbnrtfv0]|[^a-zA-Z1-9])/g
const NAMES_OTHERS = /^\[\^|[^\0-\x7f]|\\x[89a-fA-F]|\\u(?!00[0-7])/
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/** The same few hundred classes occur again and again. */
const SETS = new Map<string, CharSet>()

function setOf(source: string): CharSet {
  const set = SETS.get(source) ?? readSet(source)
  SETS.set(source, set)
  return set
}

/** The native engine says which characters a single class matches: it cannot backtrack. */
function readSet(source: string): CharSet {
  const members = source.startsWith('[') ? source.replace(/^\[\^?/, '').slice(0, -1) : ''
  const isOutside = source.replaceAll(ESCAPES, '').includes('\\')
  if (isOutside || [...members.matchAll(MEMBER)].some(([, end]) => end !== undefined))
    throw new SyntaxError('rules may not use this')
  const native = new RegExp(`^${source}$`)
  // All characters beyond ASCII share a bit. Without one in its source, a class has all, none, or the spaces.
  const hasOthers = NAMES_OTHERS.test(source.replaceAll('\\\\', '.')) || native.test('\u0080') || native.test('\u00A0')
  const bits = ASCII.reduce((set, char) => (native.test(char) ? `1${set}` : `0${set}`), '')
  return BigInt(`0b${hasOthers ? 1 : 0}${bits}`)
}

/** Without the `u` flag nothing outside ASCII folds to an ASCII letter. */
function folded(set: CharSet): CharSet {
  const [upper, lower] = [set & LETTERS, set & (LETTERS << 32n)]
  return set | (upper << 32n) | (lower >> 32n)
}
const LETTERS: CharSet = ((1n << 26n) - 1n) << 65n

/** The cost of one attempt: how many ways the part can match from one position, and the steps to try them all. */
type Cost = { readonly ways: number; readonly steps: number }

export type Measures = {
  /** An upper bound for the steps a backtracking matcher takes to try a pattern at one position. Infinity for unbounded repeats. */
  readonly cost: number
  readonly matches_empty: boolean
  /** The length of the shortest text that it can match. */
  readonly least: number
}

/**
 * What a pattern may cost, whatever the text. `undefined` for patterns outside the subset that rules may use.
 * INVARIANT: the cost is never too low. If two parts can share a character, every split between them is counted.
 */
export function measurePattern(source: string, ignoreCase: boolean): Measures | undefined {
  const pattern = parsePattern(source, ignoreCase)
  if (pattern === undefined) return undefined
  const { ways, steps } = cost(pattern, 0n)
  return { cost: ways + steps, matches_empty: canBeEmpty(pattern), least: least(pattern) }
}

function least(pattern: Pattern): number {
  if (pattern.is === 'set') return 1
  if (pattern.is === 'choice') return Math.min(...pattern.options.map(least))
  if (pattern.is === 'sequence') return pattern.items.reduce((sum, item) => sum + least(item), 0)
  return pattern.is === 'repeat' ? pattern.min * least(pattern.body) : 0
}

/** `follow`: the characters that may come next; the empty set means that the whole pattern has matched. */
function cost(pattern: Pattern, follow: CharSet): Cost {
  if (pattern.is === 'choice') return choiceCost(pattern.options, follow)
  if (pattern.is === 'sequence') return sequenceCost(pattern.items, follow)
  if (pattern.is === 'repeat') return repeatCost(pattern, follow)
  return { ways: 1, steps: pattern.is === 'look' ? cost(pattern.body, ALL).steps + 1 : 1 }
}

function choiceCost(options: readonly Pattern[], follow: CharSet): Cost {
  const costs = options.map((option) => cost(option, follow))
  const steps = costs.reduce((sum, one) => sum + one.steps, 0)
  if (disjoint(options)) return { ways: Math.max(...costs.map((one) => one.ways)), steps }
  return { ways: costs.reduce((sum, one) => sum + one.ways, 0), steps }
}

/** Whether at most one option can match at a position, because some leading character distinguishes each from all others. */
function disjoint(options: readonly Pattern[]): boolean {
  const starts = options.map(fixedStart)
  return starts.every((start, index) => starts.slice(index + 1).every((other) => areApart(start, other)))
}

function areApart(a: readonly CharSet[], b: readonly CharSet[]): boolean {
  return a.some((set, index) => (set & (b[index] ?? ALL)) === 0n)
}

/** The character sets that an option certainly starts with. */
function fixedStart(pattern: Pattern): CharSet[] {
  if (pattern.is === 'set') return [pattern.set]
  if (pattern.is !== 'sequence') return canBeEmpty(pattern) ? [] : [firstOf(pattern)]
  const start: CharSet[] = []
  for (const item of pattern.items) {
    if (item.is !== 'set') return canBeEmpty(item) ? start : [...start, firstOf(item)]
    start.push(item.set)
  }
  return start
}

function sequenceCost(items: readonly Pattern[], follow: CharSet): Cost {
  let after = follow
  let rest: Cost = { ways: 1, steps: 0 }
  for (const item of items.toReversed()) {
    const own = cost(item, after)
    rest = { ways: own.ways * rest.ways, steps: own.steps + own.ways * rest.steps }
    // If everything that is left may be empty, the first way leads to a match: there is no backtracking.
    if (after === 0n && neverFails(item)) continue
    after = isZeroWidth(item) ? ALL : canBeEmpty(item) ? firstOf(item) | after : firstOf(item)
  }
  return rest
}

function neverFails(pattern: Pattern): boolean {
  if (pattern.is === 'choice') return pattern.options.some(neverFails)
  if (pattern.is === 'sequence') return pattern.items.every(neverFails)
  return pattern.is === 'repeat' && (pattern.min === 0 || neverFails(pattern.body))
}

function repeatCost(repeat: Extract<Pattern, { is: 'repeat' }>, follow: CharSet): Cost {
  const { body, min, max } = repeat
  const first = firstOf(body)
  const once = cost(body, follow | first)
  // The next character alone decides whether to repeat: only one repeat count is possible.
  const decided = (first & follow) === 0n && !canBeEmpty(body)
  if (once.ways === 1) return { ways: decided ? 1 : max - min + 1, steps: max * once.steps + 1 }
  const ways = once.ways ** max * (decided ? 1 : max - min + 1)
  return { ways, steps: ways * once.steps * max + 1 }
}

function isZeroWidth(pattern: Pattern): boolean {
  return pattern.is === 'look' || pattern.is === 'assertion'
}

function canBeEmpty(pattern: Pattern): boolean {
  if (pattern.is === 'choice') return pattern.options.some(canBeEmpty)
  if (pattern.is === 'sequence') return pattern.items.every(canBeEmpty)
  if (pattern.is === 'repeat') return pattern.min === 0 || canBeEmpty(pattern.body)
  return pattern.is !== 'set'
}

function firstOf(pattern: Pattern): CharSet {
  if (pattern.is === 'set') return pattern.set
  if (pattern.is === 'choice') return pattern.options.reduce((set, option) => set | firstOf(option), 0n)
  if (pattern.is === 'repeat') return firstOf(pattern.body)
  if (pattern.is !== 'sequence') return 0n
  let set: CharSet = 0n
  for (const item of pattern.items) {
    set |= firstOf(item)
    if (!canBeEmpty(item)) break
  }
  return set
}
