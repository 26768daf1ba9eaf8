import type { JsonObject } from '../contract/json.ts'
import { onlyReads, type RiskClass, type Tool, type ToolEffect } from '../contract/tool.ts'

export type KnownEffects = Pick<Tool, 'effects' | 'effects_from'>

/** The assumed effects of an unknown tool. */
const UNKNOWN: KnownEffects = { effects: ['write', 'external'], effects_from: 'unknown' }

/**
 * What a tool can do: the operator's declaration first, then the annotations of a trusted server, then inference.
 * INVARIANT: an untrusted server's annotations never lower the class (law in effects.test.ts).
 */
export function effectsOf(
  configured: readonly ToolEffect[] | undefined,
  annotations: JsonObject | undefined,
  trusted: boolean,
  inferred?: readonly ToolEffect[],
): KnownEffects {
  if (isSaid(configured)) return { effects: configured, effects_from: 'configured' }
  const annotated = trusted ? annotatedEffects(annotations ?? {}) : undefined
  if (isSaid(annotated)) return { effects: annotated, effects_from: 'annotated' }
  const known: KnownEffects = isSaid(inferred) ? { effects: inferred, effects_from: 'inferred' } : UNKNOWN
  return trusted ? known : atLeastHinted(known, annotations ?? {})
}

/**
 * MCP's hints with MCP's defaults: a tool that is not read-only is destructive and open-world unless it says otherwise. For a
 * read-only tool those defaults are meaningless, so only explicit hints count. Reading from the network is a read.
 */
function annotatedEffects(hints: JsonObject): readonly ToolEffect[] | undefined {
  const { readOnlyHint, destructiveHint, openWorldHint } = hints
  if (![readOnlyHint, destructiveHint, openWorldHint].some((hint) => typeof hint === 'boolean')) return undefined
  const reads = readOnlyHint === true
  const effects: ToolEffect[] = [reads ? 'read' : 'write']
  if (reads ? destructiveHint === true : destructiveHint !== false) effects.push('destructive')
  if (!reads && openWorldHint !== false) effects.push('external')
  return effects
}

/**
 * Any server is believed when it says that its own tool is harmful; an untrusted one is not believed when it says that it is
 * harmless.
 */
function atLeastHinted(known: KnownEffects, hints: JsonObject): KnownEffects {
  const { readOnlyHint, destructiveHint, openWorldHint } = hints
  const acts = known.effects.some((effect) => effect === 'write' || effect === 'destructive' || effect === 'external')
  const saysActs = readOnlyHint === false || destructiveHint === true
  const effects = new Set(saysActs && !acts ? UNKNOWN.effects : known.effects)
  for (const effect of known.effects) if (effect !== 'read' || !saysActs) effects.add(effect)
  if (saysActs) effects.delete('read')
  if (destructiveHint === true) effects.add('destructive')
  if (openWorldHint === true && !effects.has('read')) effects.add('external')
  const isSame = effects.size === known.effects.length && known.effects.every((effect) => effects.has(effect))
  return isSame ? known : { effects: [...effects], effects_from: 'annotated' }
}

/** INVARIANT: more effects or tags never lower the class (law in effects.test.ts). */
export function riskClassOf(effects: readonly ToolEffect[], tags: readonly string[]): RiskClass {
  if (effects.includes('privileged') || tags.some((tag) => tag.toLowerCase() === 'production')) return 'critical'
  if (effects.includes('external') || effects.includes('destructive')) return 'high'
  if (effects.includes('write')) return 'medium'
  return effects.includes('read') ? 'low' : 'high'
}

/** Whether a tool may run again after a crash. A read that was only inferred from its name is not enough. */
export function idempotentOf(
  configured: boolean | undefined,
  annotations: JsonObject | undefined,
  trusted: boolean,
  known: KnownEffects,
): boolean {
  if (configured !== undefined) return configured
  if (trusted && annotations?.['idempotentHint'] === true) return true
  return onlyReads(known) && (known.effects_from === 'configured' || known.effects_from === 'annotated')
}

const isSaid = (effects: readonly ToolEffect[] | undefined): effects is readonly ToolEffect[] =>
  effects !== undefined && effects.length > 0
