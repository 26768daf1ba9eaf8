import type { ToolEffect } from '../../kernel/contract/tool.ts'
import { ok } from '../../kernel/contract/problems.ts'
import type { InferEffects } from '../../kernel/ports/effects-source.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { inferEffects } from './infer-effects.ts'

export const prepareRisk: PrepareGuest = () => ok({ ports: { inferEffects: rememberEffects() } })

/** As many definitions as three full servers list; one entry is a few effects and their reasons. */
export const MOST_INFERRED = 15_000

/**
 * The effects inferred from a definition, cached by its hash: a reload of the configuration or a server that lists the same tools
 * again infers nothing again. The least recently used entry is dropped first.
 * INVARIANT: a definition has the same effects whether they were cached or not.
 */
export function rememberEffects(infer: typeof inferEffects = inferEffects, most = MOST_INFERRED): InferEffects {
  const known = new Map<string, readonly ToolEffect[]>()
  return (definition, hash) => {
    const effects = known.get(hash) ?? infer(definition).effects
    known.delete(hash)
    known.set(hash, effects)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return effects
  }
}
