import type { Preset, Rule } from '../contract/policy.ts'
import type { Opinion } from '../contract/verdict.ts'

const CAREFUL: readonly Rule[] = [
  { id: 'careful.low', effect: 'allow', match: { risk: ['low'] }, says: 'it only reads' },
  {
    id: 'careful.medium',
    effect: 'ask',
    strength: 'simple',
    match: { risk: ['medium'] },
    says: 'it changes something, so a person decides',
  },
  {
    id: 'careful.high',
    effect: 'ask',
    strength: 'strong',
    match: { risk: ['high'] },
    says: 'it reaches other people or the network, or destroys something, so a person must confirm it explicitly',
  },
  {
    id: 'careful.critical',
    effect: 'ask',
    strength: 'two_person',
    match: { risk: ['critical'] },
    says: 'it is privileged or touches production, so two people decide',
  },
]

const STRICT: readonly Rule[] = [
  {
    id: 'strict.read',
    effect: 'allow',
    match: { risk: ['low'], effects: ['read'] },
    when: 'tool.sandboxed',
    says: 'it only reads, inside the sandbox',
  },
  {
    id: 'strict.low',
    effect: 'ask',
    strength: 'simple',
    match: { risk: ['low'] },
    when: '!("read" in tool.effects) || !tool.sandboxed',
    says: 'it reads without a sandbox, so a person decides',
  },
  {
    id: 'strict.medium',
    effect: 'ask',
    strength: 'simple',
    match: { risk: ['medium'] },
    says: 'it changes something, so a person decides',
  },
  {
    id: 'strict.high',
    effect: 'ask',
    strength: 'strong',
    match: { risk: ['high'] },
    says: 'it reaches other people or the network, or destroys something, so a person must confirm it explicitly',
  },
  {
    id: 'strict.critical',
    effect: 'ask',
    strength: 'two_person',
    match: { risk: ['critical'] },
    says: 'it is privileged or touches production, so two people decide',
  },
]

const TWO_PEOPLE = /, so two people decide$/

/**
 * Adapts a preset's opinion to a gate with only one approver: two people are not available, so that one confirms with a
 * passphrase. Only presets adapt: an operator rule that requires two people still does.
 */
export function forApprovers(opinion: Opinion, approvers: number | undefined): Opinion {
  if (opinion.strength !== 'two_person' || approvers === undefined || approvers > 1) return opinion
  const says = opinion.says.replace(TWO_PEOPLE, '; there is only one approver here, who confirms it with a passphrase')
  return { ...opinion, strength: 'strong', proof: 'passphrase', says }
}

/** The rules used when no operator rule matches. `observe` uses those of `careful`; its mode only records. */
export const PRESETS: Readonly<Record<Preset, readonly Rule[]>> = { careful: CAREFUL, strict: STRICT, observe: CAREFUL }
