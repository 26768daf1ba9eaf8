import type { Caller } from '../../kernel/contract/caller.ts'
import type { Habit, HabitsRow } from '../../kernel/contract/habits.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import { withHabit } from './habits.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'

/** What callers' searches led to, per caller: nobody's habits affect what another caller finds. */
export type SearchHabits = {
  of(caller: Caller): Promise<readonly Habit[]>
  searched(caller: Caller, query: string, found: readonly string[]): void
  /** A call has run. It is learned if its tool was in the caller's last search, not long ago. */
  ran(caller: Caller, tool_id: string): Promise<void>
}

export type HabitsDeps = {
  readonly ledger: Ledger
  readonly tables: Pick<Tables, 'row'>
  readonly clock: Clock
}

const LED_WITHIN_MS = 10 * 60_000
const MOST_CALLERS = 1_000

export function openHabits({ ledger, tables, clock }: HabitsDeps): SearchHabits {
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
