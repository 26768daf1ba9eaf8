import type { Habit } from '../../kernel/contract/habits.ts'
import type { Hit } from './create-index.ts'
import { BY_NAME, SMOOTHING } from './fuse-ranks.ts'
import { readQuery } from './read-query.ts'
import { TUNING } from './tuning.ts'

const MOST_HABITS = 200
const MOST_WORDS = 24
/** The share of words that two queries must have in common to count as similar. */
const ALIKE = 0.5

/** Adds what a caller's search led to. The oldest entry is dropped if there are too many. */
export function withHabit(habits: readonly Habit[], query: string, tool_id: string): readonly Habit[] {
  const words = wordsOf(query)
  if (words.length === 0) return habits
  const same = (habit: Habit) => habit.tool_id === tool_id && habit.words.join(' ') === words.join(' ')
  const times = (habits.find(same)?.times ?? 0) + 1
  return [{ words, tool_id, times }, ...habits.filter((habit) => !same(habit))].slice(0, MOST_HABITS)
}

/**
 * Hits ordered by words and habits together; a match by name stays first. Nothing is found by habit alone, and hints stay with
 * the ranks: a habit says what this caller means, not how well a tool matches.
 */
export function byHabit(hits: readonly Hit[], habits: readonly Habit[], query: string): readonly Hit[] {
  const ranked = toolsFor(habits, query)
  if (ranked.length === 0) return hits
  const named = hits.filter(({ score_hint }) => score_hint >= BY_NAME)
  const others = hits.slice(named.length)
  const scoreOf = (hit: Hit, at: number) => {
    const place = ranked.indexOf(hit.id)
    return 1 / (SMOOTHING + at + 1) + (place < 0 ? 0 : 1 / (SMOOTHING + place + 1))
  }
  const sorted = others
    .map((hit, at) => ({ hit, score: scoreOf(hit, at) }))
    .toSorted((one, other) => other.score - one.score)
  const placed = sorted.map(({ hit }, at) => ({
    ...hit,
    score_hint: others[at]?.score_hint ?? hit.score_hint,
    reason: ranked.includes(hit.id) ? { ...hit.reason, habit: true } : hit.reason,
  }))
  return [...named, ...placed]
}

/** The tools that were run after similar queries, strongest evidence first. */
function toolsFor(habits: readonly Habit[], query: string): readonly string[] {
  const words = new Set(wordsOf(query))
  const scores = new Map<string, number>()
  for (const habit of habits) {
    const likeness = likenessOf(words, habit.words)
    if (likeness < ALIKE) continue
    scores.set(habit.tool_id, (scores.get(habit.tool_id) ?? 0) + likeness * Math.log(1 + habit.times))
  }
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([tool_id]) => tool_id)
}

function likenessOf(words: ReadonlySet<string>, others: readonly string[]): number {
  const shared = others.filter((word) => words.has(word)).length
  return shared === 0 ? 0 : shared / (words.size + others.length - shared)
}

const wordsOf = (query: string): readonly string[] =>
  [...new Set(readQuery(query, TUNING).flatMap(({ terms }) => terms.map(({ term }) => term)))]
    .sort()
    .slice(0, MOST_WORDS)
