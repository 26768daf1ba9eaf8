import type { Opinion } from '../../../contract/verdict.ts'
import { evaluate } from './condition/condition.ts'
import { type Scope, scopeOf } from './condition/scope.ts'
import { Failure } from './condition/value.ts'
import { isMatch, namesOf } from './match.ts'
import type { CompiledRule, Layer, Policy, PolicyCall, PolicyFacts } from './policy.ts'
import { eachCandidate } from './rule-index.ts'

/**
 * Policy's opinions on one call: those of the operator's rules that match, else those of the preset's, else a block.
 * Pure and total. The strictest of them is policy's word; all of them are evidence.
 * INVARIANT: a rule whose condition has no answer blocks; it is never skipped.
 */
export function judgePolicy(policy: Policy, call: PolicyCall, facts: PolicyFacts): Opinion[] {
  const scope = scopeOf(call, facts)
  for (const layer of [policy.operator, policy.fallback]) {
    const opinions = matchingRules(layer, call, facts).flatMap((rule) => opinionOf(rule, scope, facts.now))
    if (opinions.length > 0) return opinions
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

/** The rules of a layer whose `match` fits, in their own order, whatever their conditions say. */
export function matchingRules({ index }: Layer, call: PolicyCall, facts: PolicyFacts): CompiledRule[] {
  const names = namesOf(call, facts)
  const matching: CompiledRule[] = []
  eachCandidate(index, names, (rule) => {
    if (isMatch(rule.match, names) && !matching.includes(rule)) matching.push(rule)
  })
  return matching.sort((a, b) => a.order - b.order)
}

function opinionOf({ rule, source, when }: CompiledRule, scope: Scope, at: number): Opinion[] {
  const holds = when === undefined ? true : evaluate(when, scope)
  if (holds === false) return []
  const { id, effect, strength = 'simple', says } = rule
  if (holds instanceof Failure) {
    const why = `blocked because its condition has no answer: ${holds.reason}`
    return [{ decider: 'policy', effect: 'block', rule: id, says: why, source, at }]
  }
  const opinion = { decider: 'policy', effect, rule: id, says, source, at }
  return [effect === 'ask' ? { ...opinion, strength } : opinion]
}
