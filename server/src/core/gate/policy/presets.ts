import type { Preset, Rule } from '../../../contract/policy.ts'

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
    says: 'it reaches other people or the network, or destroys something, so a person confirms it with care',
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
  { id: 'strict.read', effect: 'allow', match: { risk: ['low'], effects: ['read'] }, says: 'it only reads' },
  {
    id: 'strict.low',
    effect: 'ask',
    strength: 'simple',
    match: { risk: ['low'] },
    when: '!("read" in tool.effects)',
    says: 'everything but reading is asked about',
  },
  {
    id: 'strict.medium',
    effect: 'ask',
    strength: 'simple',
    match: { risk: ['medium'] },
    says: 'everything but reading is asked about',
  },
  {
    id: 'strict.high',
    effect: 'ask',
    strength: 'strong',
    match: { risk: ['high'] },
    says: 'it reaches other people or the network, or destroys something, so a person confirms it with care',
  },
  {
    id: 'strict.critical',
    effect: 'ask',
    strength: 'two_person',
    match: { risk: ['critical'] },
    says: 'it is privileged or touches production, so two people decide',
  },
]

/** What answers where no rule of the operator's matches. `observe` judges like `careful`; its mode makes it a record only. */
export const PRESETS: Readonly<Record<Preset, readonly Rule[]>> = { careful: CAREFUL, strict: STRICT, observe: CAREFUL }
