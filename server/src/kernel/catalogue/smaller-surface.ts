import type { ToolDefinition } from '../contract/tool.ts'
import { estimateTokens } from '../text/estimate-tokens.ts'

/** What a model reads to use one tool that was not listed at the start: a search result and one card. */
const TRIP_TOKENS = 700

/**
 * Which way of showing the tools costs a model fewer tokens. `definitions` is the cost of listing every tool, `own` that of the
 * few that search and run them. Below the cost of one search, searching saves nothing.
 */
export function chooseSurface({ definitions, own }: { definitions: number; own: number }): 'search' | 'passthrough' {
  return definitions <= own + TRIP_TOKENS ? 'passthrough' : 'search'
}

/** Estimates both ways of showing the tools. Stops counting when the answer is certain: there may be thousands. */
export function smallerSurface(own: string, definitions: readonly ToolDefinition[]): 'search' | 'passthrough' {
  const cost = { definitions: 0, own: estimateTokens(own) }
  for (const definition of definitions) {
    cost.definitions += estimateTokens(JSON.stringify(definition))
    if (chooseSurface(cost) === 'search') return 'search'
  }
  return chooseSurface(cost)
}
