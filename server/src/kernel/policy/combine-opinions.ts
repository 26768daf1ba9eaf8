import { STRENGTHS, type Effect, type Opinion, type Strength } from '../contract/verdict.ts'

/** The combined result of opinions: the strictest effect, for an ask the greatest strength, and the rules behind it. */
export type CombinedEffect = {
  readonly effect: Effect
  readonly strength?: Strength
  readonly rules: readonly string[]
}

/** From loosest to strictest. */
const SCALE = ['allow', ...STRENGTHS, 'block'] as const
type Step = (typeof SCALE)[number]

const stepOf = ({ effect, strength }: Pick<Opinion, 'effect' | 'strength'>): Step =>
  effect === 'ask' ? (strength ?? 'simple') : effect

/** How strict an opinion is, as a number to compare. */
export const strictnessOf = (opinion: Pick<Opinion, 'effect' | 'strength'>): number => SCALE.indexOf(stepOf(opinion))

/** No opinion at all is a block. */
export function combineOpinions(opinions: readonly Opinion[]): CombinedEffect {
  const strictest = Math.max(...opinions.map(strictnessOf))
  const deciding = opinions.filter((opinion) => strictnessOf(opinion) === strictest)
  const [first] = deciding
  const rules = deciding.map(({ rule }) => rule)
  if (first === undefined) return { effect: 'block', rules }
  return first.effect === 'ask'
    ? { effect: 'ask', strength: first.strength ?? 'simple', rules }
    : { effect: first.effect, rules }
}

/** As text: `ask (strong)`. */
export const spellEffect = ({ effect, strength }: Pick<CombinedEffect, 'effect' | 'strength'>): string =>
  effect === 'ask' ? `ask (${strength ?? 'simple'})` : effect
