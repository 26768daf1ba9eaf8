/** A tool that a caller ran after a search, and the stems of the query's words. */
export type Habit = { readonly words: readonly string[]; readonly tool_id: string; readonly times: number }

/** One per caller, the latest habit first. Only stored if configured (`search.learn`). */
export type HabitsRow = { readonly v: 1; readonly caller: string; readonly habits: readonly Habit[] }
