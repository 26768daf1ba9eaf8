import type { ToolDefinition, ToolEffect } from '../../kernel/contract/tool.ts'
import { readDescription } from './read-description.ts'
import { readDoubts } from './read-doubts.ts'
import { readName } from './read-name.ts'
import { readSchema } from './read-schema.ts'
import { readUnknownVerb } from './read-unknown-verb.ts'
import type { Sign } from './sign.ts'

export type EffectReason = Pick<Sign, 'effect' | 'from' | 'evidence'>

export type InferredEffects = {
  /** Empty means unknown: the caller treats the tool as write + external. Never empty and confident. */
  readonly effects: readonly ToolEffect[]
  /** All the evidence, including what was outweighed, so that a person can see both sides. */
  readonly reasons: readonly EffectReason[]
  readonly confidence: 'strong' | 'weak' | 'none'
}

/** How far one side must outweigh the other. In between, the evidence contradicts itself or is too thin: unknown. */
const READ_NEEDS = 2
const WRITE_NEEDS = 3
const STRONG = 5
const ORDER: readonly ToolEffect[] = ['read', 'write', 'destructive', 'external', 'privileged']

/**
 * Infers what a tool does from its definition alone. Annotations are ignored: whether to trust them is the caller's decision.
 * INVARIANT: `read` comes only from evidence of reading; no evidence means unknown (laws in infer-effects.test.ts).
 * INVARIANT: adding a destructive verb to a name never lowers the risk.
 */
export function inferEffects(definition: ToolDefinition): InferredEffects {
  const signs = signsOf(definition)
  const reasons = reasonsOf(signs)
  const balance = weigh(signs, 'write') - weigh(signs, 'read')
  const writes = balance >= WRITE_NEEDS || signs.some((sign) => sign.forbids_read === 'always')
  const reads = !writes && balance <= -READ_NEEDS && isFirm(signs) && !isForbidden(signs)
  if (!writes && !reads) return { effects: [], reasons, confidence: 'none' }
  const kept = signs.filter((sign) =>
    writes ? sign.effect !== 'read' : sign.effect === 'read' || sign.of_a_read === true,
  )
  const effects = ORDER.filter((effect) => kept.some((sign) => sign.effect === effect))
  return { effects, reasons, confidence: Math.abs(balance) >= STRONG ? 'strong' : 'weak' }
}

function reasonsOf(signs: readonly Sign[]): EffectReason[] {
  const said = new Map(
    signs.map(({ effect, from, evidence }) => [`${effect} ${from} ${evidence}`, { effect, from, evidence }]),
  )
  return [...said.values()]
}

function signsOf(definition: ToolDefinition): Sign[] {
  const named = readName(definition.name)
  const titled = named.length === 0 ? readName(definition.title ?? '') : []
  // If there is a name, the title only adds evidence against a read, never for it.
  const doubts = named.length === 0 ? [] : readName(definition.title ?? '').filter((sign) => sign.effect !== 'read')
  return [
    ...named,
    ...titled,
    ...doubts,
    ...readDescription(definition.description ?? '', definition.name),
    ...readSchema(definition.inputSchema, definition.name),
    ...readUnknownVerb(definition),
    ...readDoubts(definition),
  ]
}

/** A computation on a stored object may change the object: "Converts a lead to an account" with a `lead_id`. */
function isFirm(signs: readonly Sign[]): boolean {
  const ofStored = signs.some((sign) => sign.names_stored)
  if (signs.some((sign) => sign.promises_read ?? (sign.firm && !(ofStored && sign.works_out)))) return true
  return signs.some((sign) => sign.derives) && signs.some((sign) => sign.returns)
}

function isForbidden(signs: readonly Sign[]): boolean {
  const promised = signs.some((sign) => sign.promises_read)
  return signs.some((sign) => sign.forbids_read === 'always' || (sign.forbids_read === 'unless_promised' && !promised))
}

const weigh = (signs: readonly Sign[], effect: ToolEffect): number =>
  signs.reduce((sum, sign) => (sign.effect === effect ? sum + sign.weight : sum), 0)
