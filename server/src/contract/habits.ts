/** A tool that a caller ran after a search, and the stems of the words it was looked for with. */
export type Habit = { readonly words: readonly string[]; readonly tool_id: string; readonly times: number }

/** One for each caller, the latest habit first. Only kept where the configuration wants it (`search.learn`). */
export type HabitsRow = { readonly v: 1; readonly caller: string; readonly habits: readonly Habit[] }
