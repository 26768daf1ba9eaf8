import type { JsonObject } from '../../contract/json.ts'
import type { RiskClass, Tool, ToolEffect } from '../../contract/tool.ts'

export type KnownEffects = Pick<Tool, 'effects' | 'effects_from'>

/** What a tool of which nothing is known may do. */
const UNKNOWN: KnownEffects = { effects: ['write', 'external'], effects_from: 'unknown' }

/**
 * What a tool can do to the world: the operator's word first, then the annotations of a trusted server, then inference.
 * INVARIANT: an untrusted server's annotations change nothing (law in effects.test.ts).
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
  if (isSaid(inferred)) return { effects: inferred, effects_from: 'inferred' }
  return UNKNOWN
}

/**
 * MCP's hints with MCP's defaults: what is not read-only is destructive and open to the world unless it says otherwise. For a
 * read-only tool those defaults have no meaning, so only what it says itself counts.
 */
function annotatedEffects(hints: JsonObject): readonly ToolEffect[] | undefined {
  const { readOnlyHint, destructiveHint, openWorldHint } = hints
  if (![readOnlyHint, destructiveHint, openWorldHint].some((hint) => typeof hint === 'boolean')) return undefined
  const reads = readOnlyHint === true
  const effects: ToolEffect[] = [reads ? 'read' : 'write']
  if (reads ? destructiveHint === true : destructiveHint !== false) effects.push('destructive')
  if (reads ? openWorldHint === true : openWorldHint !== false) effects.push('external')
  return effects
}

/**
 * What is inferred of a tool whose hints the gate wrote down itself, from the request it would send (an HTTP method). That it
 * changes something is then a fact; that it changes nothing remains a claim, which only counts of a trusted server.
 */
export function atLeastHinted(inferred: readonly ToolEffect[], hints: JsonObject | undefined): readonly ToolEffect[] {
  if (hints?.['readOnlyHint'] !== false) return inferred
  const effects = inferred.includes('write') ? inferred : UNKNOWN.effects
  return hints['destructiveHint'] === true ? [...new Set<ToolEffect>([...effects, 'destructive'])] : effects
}

/** INVARIANT: more effects or tags never lower the class (law in effects.test.ts). */
export function riskClassOf(effects: readonly ToolEffect[], tags: readonly string[]): RiskClass {
  if (effects.includes('privileged') || tags.some((tag) => tag.toLowerCase() === 'production')) return 'critical'
  if (effects.includes('external') || effects.includes('destructive')) return 'high'
  if (effects.includes('write')) return 'medium'
  return effects.includes('read') ? 'low' : 'high'
}

/** Whether a tool may run again after a crash. A read that was only inferred from its name is not believed that far. */
export function idempotentOf(
  configured: boolean | undefined,
  annotations: JsonObject | undefined,
  trusted: boolean,
  known: KnownEffects,
): boolean {
  if (configured !== undefined) return configured
  if (trusted && annotations?.['idempotentHint'] === true) return true
  const onlyReads = known.effects.length > 0 && known.effects.every((effect) => effect === 'read')
  return onlyReads && (known.effects_from === 'configured' || known.effects_from === 'annotated')
}

const isSaid = (effects: readonly ToolEffect[] | undefined): effects is readonly ToolEffect[] =>
  effects !== undefined && effects.length > 0
