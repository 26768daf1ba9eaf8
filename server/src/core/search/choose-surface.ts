/** What a model reads to use one tool that it did not see at the start: the answer of a search and one card. */
const TRIP_TOKENS = 700

/**
 * Which way of showing the tools costs a model less to read, in tokens. `definitions` is the cost of seeing every tool, `own` that
 * of the few that find and run them. Below the cost of one search nothing is won by searching.
 */
export function chooseSurface({ definitions, own }: { definitions: number; own: number }): 'search' | 'passthrough' {
  return definitions <= own + TRIP_TOKENS ? 'passthrough' : 'search'
}
