import type { Opinion } from '../contract/verdict.ts'
import { evaluate } from './condition/condition.ts'
import { type Scope, scopeOf } from './condition/scope.ts'
import { Failure } from './condition/value.ts'
import { type GlobField, isMatch, type MatchNames, namesOf } from './match.ts'
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
  return planPolicy(policy, namesOf(call, facts))(call, facts)
}

export type JudgeByPolicy = (call: PolicyCall, facts: PolicyFacts) => Opinion[]

/** The same for all calls with these names. Which rules match is determined once; only their conditions depend on the call. */
export function planPolicy(policy: Policy, names: MatchNames): JudgeByPolicy {
  const operator = rulesFor(policy.operator, names)
  // An operator rule without a condition always has an opinion, so the preset is not asked.
  const isAnswered = operator.some(({ rule, unknown }) => rule.when === undefined || unknown !== undefined)
  const fallback = isAnswered ? [] : rulesFor(policy.fallback, names)
  return (call, facts) => {
    const stated = opinionsOf(operator, call, facts)
    if (stated.length > 0) return stated
    const preset = opinionsOf(fallback, call, facts)
    if (preset.length === 0) return [noRule(policy, facts.now)]
    return preset.map((one) => forApprovers(sayEffectOf(one, facts.tool, facts.tags), facts.approvers))
  }
}

function opinionsOf(rules: readonly Matching[], call: PolicyCall, facts: PolicyFacts): Opinion[] {
  const opinions: Opinion[] = []
  let scope: Scope | undefined
  for (const { rule, unknown } of rules) {
    const holds =
      rule.when === undefined || unknown !== undefined || evaluate(rule.when, (scope ??= scopeOf(call, facts)))
    if (holds !== false) opinions.push(opinionOf(rule, unknown, holds, facts.now))
  }
  return opinions
}

const noRule = ({ file }: Policy, at: number): Opinion => ({
  decider: 'policy',
  effect: 'block',
  rule: 'policy.no_rule',
  says: 'no rule of the policy matches this call',
  source: file,
  at,
})

/** A rule whose `match` fits, or depends on an unknown name. */
export type Matching = { readonly rule: CompiledRule; readonly unknown?: GlobField }

/** The rules of a layer whose `match` fits, in order, regardless of their conditions. */
export function matchingRules(layer: Layer, call: PolicyCall, facts: PolicyFacts): readonly Matching[] {
  return rulesFor(layer, namesOf(call, facts))
}

function rulesFor({ index }: Layer, names: MatchNames): readonly Matching[] {
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

function opinionOf(
  { rule, source }: CompiledRule,
  unknown: GlobField | undefined,
  holds: true | Failure,
  at: number,
): Opinion {
  const { id, effect, strength = 'simple', says, preview } = rule
  if (unknown !== undefined) {
    const why = `blocked because it depends on the ${unknown} of this call, which is unknown`
    return { decider: 'policy', effect: 'block', rule: id, says: why, source, at }
  }
  if (holds instanceof Failure) {
    const why = `blocked because its condition could not be evaluated: ${holds.reason}`
    return { decider: 'policy', effect: 'block', rule: id, says: why, source, at }
  }
  const opinion: Opinion = { decider: 'policy', effect, rule: id, says, source, at }
  if (preview !== true && effect !== 'ask') return opinion
  const wish = preview === true && effect !== 'block' ? { preview } : {}
  return effect === 'ask' ? { ...opinion, ...wish, strength } : { ...opinion, ...wish }
}
