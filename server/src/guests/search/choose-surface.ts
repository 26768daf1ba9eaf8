/** What a model reads to use one tool that was not listed at the start: a search result and one card. */
const TRIP_TOKENS = 700

/**
 * Which way of showing the tools costs a model fewer tokens. `definitions` is the cost of listing every tool, `own` that of the
 * few that search and run them. Below the cost of one search, searching saves nothing.
 */
export function chooseSurface({ definitions, own }: { definitions: number; own: number }): 'search' | 'passthrough' {
  return definitions <= own + TRIP_TOKENS ? 'passthrough' : 'search'
}
