import { ALL, type CharSet, type Pattern, parsePattern } from './pattern-syntax.ts'

/** The cost of one attempt: how many ways the part can match from one position, and the steps to try them all. */
type Cost = { readonly ways: number; readonly steps: number }

/**
 * An upper bound for the steps a backtracking matcher takes to try a pattern at one position, whatever the text. Infinity for
 * unbounded repeats; `undefined` for patterns outside the subset that rules may use.
 * INVARIANT: never too low. If two parts can share a character, every split between them is counted.
 */
export function patternCost(source: string, ignoreCase: boolean): number | undefined {
  const pattern = parsePattern(source, ignoreCase)
  if (pattern === undefined) return undefined
  const { ways, steps } = cost(pattern, 0n)
  return ways + steps
}

/** Whether a pattern of the subset can match the empty string. */
export function matchesEmpty(source: string): boolean {
  const pattern = parsePattern(source, false)
  return pattern !== undefined && canBeEmpty(pattern)
}

/** The length of the shortest text that a pattern of the subset can match. */
export function leastLength(source: string): number {
  const pattern = parsePattern(source, false)
  return pattern === undefined ? 0 : least(pattern)
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
