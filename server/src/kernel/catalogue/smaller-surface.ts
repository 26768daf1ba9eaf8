import type { ToolDefinition } from '../contract/tool.ts'
import { chooseSurface } from '../../guests/search/choose-surface.ts'
import { estimateTokens } from '../text/estimate-tokens.ts'

/** Estimates both ways of showing the tools. Stops counting when the answer is certain: there may be thousands. */
export function smallerSurface(own: string, definitions: readonly ToolDefinition[]): 'search' | 'passthrough' {
  const cost = { definitions: 0, own: estimateTokens(own) }
  for (const definition of definitions) {
    cost.definitions += estimateTokens(JSON.stringify(definition))
    if (chooseSurface(cost) === 'search') return 'search'
  }
  return chooseSurface(cost)
}
