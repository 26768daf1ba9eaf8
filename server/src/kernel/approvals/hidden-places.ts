import type { HiddenPlace } from '../contract/approval.ts'
import { STRENGTHS, type Opinion, type Strength, type Verdict } from '../contract/verdict.ts'

/**
 * INVARIANT: approving something that was not fully shown takes at least a strong approval. Adds the reason to the evidence of an
 * ask; other verdicts show no packet and are returned unchanged.
 */
export function strongWhereHidden(verdict: Verdict, hidden: readonly HiddenPlace[], now: number): Verdict {
  if (verdict.effect !== 'ask' || hidden.length === 0) return verdict
  const characters = hidden.reduce((sum, { length }) => sum + length, 0)
  const opinion: Opinion = {
    decider: 'packet',
    effect: 'ask',
    rule: HIDDEN_RULE,
    says: `redaction hides ${characters} characters in ${hidden.length === 1 ? 'one place' : `${hidden.length} places`}; an approver can reveal them`,
    source: 'packet',
    at: now,
    strength: 'strong',
  }
  const others = verdict.evidence.filter(({ rule }) => rule !== HIDDEN_RULE)
  return { ...verdict, strength: atLeastStrong(verdict.strength), evidence: [...others, opinion] }
}

const HIDDEN_RULE = 'packet.hidden'

export const atLeastStrong = (strength: Strength = 'simple'): Strength =>
  STRENGTHS.indexOf(strength) < STRENGTHS.indexOf('strong') ? 'strong' : strength
