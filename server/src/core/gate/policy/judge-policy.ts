import type { Opinion } from '../../../contract/verdict.ts'
import { evaluate } from './condition/condition.ts'
import { type Scope, scopeOf } from './condition/scope.ts'
import { Failure } from './condition/value.ts'
import { type GlobField, isMatch, namesOf } from './match.ts'
import { forApprovers } from './presets.ts'
import { sayEffectOf } from './say-effect.ts'
import type { CompiledRule, Layer, Policy, PolicyCall, PolicyFacts } from './policy.ts'
import { candidatesFor } from './rule-index.ts'

/**
 * The policy's opinions on one call: those of the matching operator rules, otherwise those of the preset, otherwise a block. Pure
 * and total. The strictest opinion decides; all of them are evidence.
 * INVARIANT: a rule that depends on an unknown fact, or whose condition cannot be evaluated, blocks; it is never skipped.
 */
export function judgePolicy(policy: Policy, call: PolicyCall, facts: PolicyFacts): Opinion[] {
  const scope = scopeOf(call, facts)
  for (const layer of [policy.operator, policy.fallback]) {
    const opinions: Opinion[] = []
    for (const matching of matchingRules(layer, call, facts)) {
      const opinion = opinionOf(matching, scope, facts.now)
      if (opinion !== undefined) opinions.push(opinion)
    }
    if (opinions.length > 0)
      return layer === policy.operator
        ? opinions
        : opinions.map((one) => forApprovers(sayEffectOf(one, facts.tool, facts.tags), facts.approvers))
  }
  return [
    {
      decider: 'policy',
      effect: 'block',
      rule: 'policy.no_rule',
      says: 'no rule of the policy matches this call',
      source: policy.file,
      at: facts.now,
    },
  ]
}

/** A rule whose `match` fits, or depends on an unknown name. */
export type Matching = { readonly rule: CompiledRule; readonly unknown?: GlobField }

/** The rules of a layer whose `match` fits, in order, regardless of their conditions. */
export function matchingRules({ index }: Layer, call: PolicyCall, facts: PolicyFacts): readonly Matching[] {
  const names = namesOf(call, facts)
  const matching: Matching[] = []
  let last = -1
  let sorted = true
  for (const candidates of candidatesFor(index, names)) {
    for (const { rule, match } of candidates) {
      const fits = isMatch(match, names)
      if (fits === false) continue
      sorted &&= rule.order > last
      last = rule.order
      matching.push(fits === true ? { rule } : { rule, unknown: fits })
    }
  }
  return sorted ? matching : inOrder(matching)
}

/** A rule indexed under several keys may appear twice; after sorting, the copies are neighbors. */
function inOrder(matching: Matching[]): Matching[] {
  const sorted = matching.sort((a, b) => a.rule.order - b.rule.order)
  return sorted.filter(({ rule }, at) => rule !== sorted[at - 1]?.rule)
}

function opinionOf({ rule: { rule, source, when }, unknown }: Matching, scope: Scope, at: number): Opinion | undefined {
  const { id, effect, strength = 'simple', says, preview } = rule
  if (unknown !== undefined) {
    const why = `blocked because it depends on the ${unknown} of this call, which is unknown`
    return { decider: 'policy', effect: 'block', rule: id, says: why, source, at }
  }
  const holds = when === undefined ? true : evaluate(when, scope)
  if (holds === false) return undefined
  if (holds instanceof Failure) {
    const why = `blocked because its condition could not be evaluated: ${holds.reason}`
    return { decider: 'policy', effect: 'block', rule: id, says: why, source, at }
  }
  const wish = preview === true && effect !== 'block' ? { preview } : {}
  const opinion = { decider: 'policy', effect, rule: id, says, source, at, ...wish }
  return effect === 'ask' ? { ...opinion, strength } : opinion
}
