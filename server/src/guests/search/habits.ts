import type { Hit } from './create-index.ts'
import { BY_NAME, SMOOTHING } from './fuse-ranks.ts'
import { readQuery } from './read-query.ts'
import { TUNING } from './tuning.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'

/** A tool that a caller ran after a search, and the stems of the query's words. */
export type Habit = { readonly words: readonly string[]; readonly tool_id: string; readonly times: number }

/** One per caller, the latest habit first. Only stored if configured (`search.learn`). */
export type HabitsRow = { readonly v: 1; readonly caller: string; readonly habits: readonly Habit[] }

export const HABITS_LISTED_BY = [] as const

declare module '../../kernel/ports/ledger.ts' {
  interface Rows {
    habits: HabitsRow
  }
  interface ListedBy {
    habits: typeof HABITS_LISTED_BY
  }
}

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

/** What callers' searches led to, per caller: nobody's habits affect what another caller finds. */
export type SearchHabits = {
  of(caller: Caller): Promise<readonly Habit[]>
  searched(caller: Caller, query: string, found: readonly string[]): void
  /** A call has run. It is learned if its tool was in the caller's last search, not long ago. */
  ran(caller: Caller, tool_id: string): Promise<void>
}

type HabitsPorts = {
  readonly ledger: Ledger
  readonly tables: Pick<Tables, 'row'>
  readonly clock: Clock
}

const LED_WITHIN_MS = 10 * 60_000
const MOST_CALLERS = 1_000

export function openHabits({ ledger, tables, clock }: HabitsPorts): SearchHabits {
  const last = new Map<string, { query: string; found: ReadonlySet<string>; at: number }>()
  return {
    async of(caller) {
      return (await tables.row('habits', callerIdentity(caller)))?.row.habits ?? []
    },
    searched(caller, query, found) {
      const who = callerIdentity(caller)
      last.delete(who)
      last.set(who, { query, found: new Set(found), at: clock() })
      const oldest = last.size > MOST_CALLERS ? last.keys().next().value : undefined
      if (oldest !== undefined) last.delete(oldest)
    },
    async ran(caller, tool_id) {
      const who = callerIdentity(caller)
      const search = last.get(who)
      if (search === undefined || !search.found.has(tool_id) || clock() - search.at > LED_WITHIN_MS) return
      const held = await tables.row('habits', who)
      const habits = withHabit(held?.row.habits ?? [], search.query, tool_id)
      const row: HabitsRow = { v: 1, caller: who, habits }
      // If this is lost to another call of the same caller, one habit is not learned, and nothing waits for it.
      await ledger.commit([{ kind: 'swap', table: 'habits', id: who, from: held?.version ?? 'absent', to: row }])
    },
  }
}
