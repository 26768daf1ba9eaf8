import type { Opinion } from '../../../contract/verdict.ts'
import { evaluate } from './condition/condition.ts'
import { type Scope, scopeOf } from './condition/scope.ts'
import { Failure } from './condition/value.ts'
import { isMatch, namesOf } from './match.ts'
import type { CompiledRule, Layer, Policy, PolicyCall, PolicyFacts } from './policy.ts'
import { shelvesFor } from './rule-index.ts'

/**
 * Policy's opinions on one call: those of the operator's rules that match, else those of the preset's, else a block.
 * Pure and total. The strictest of them is policy's word; all of them are evidence.
 * INVARIANT: a rule whose condition has no answer blocks; it is never skipped.
 */
export function judgePolicy(policy: Policy, call: PolicyCall, facts: PolicyFacts): Opinion[] {
  const scope = scopeOf(call, facts)
  for (const layer of [policy.operator, policy.fallback]) {
    const opinions: Opinion[] = []
    for (const rule of matchingRules(layer, call, facts)) {
      const opinion = opinionOf(rule, scope, facts.now)
      if (opinion !== undefined) opinions.push(opinion)
    }
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
export function matchingRules({ index }: Layer, call: PolicyCall, facts: PolicyFacts): readonly CompiledRule[] {
  const names = namesOf(call, facts)
  const matching: CompiledRule[] = []
  let last = -1
  let sorted = true
  for (const shelf of shelvesFor(index, names)) {
    for (const { rule, match } of shelf) {
      if (!isMatch(match, names)) continue
      sorted &&= rule.order > last
      last = rule.order
      matching.push(rule)
    }
  }
  return sorted ? matching : inOrder(matching)
}

/** A rule that stands under several keys may have been seen twice; in order, its copies are neighbours. */
function inOrder(rules: CompiledRule[]): CompiledRule[] {
  return rules.sort((a, b) => a.order - b.order).filter((rule, at) => rule !== rules[at - 1])
}

function opinionOf({ rule, source, when }: CompiledRule, scope: Scope, at: number): Opinion | undefined {
  const holds = when === undefined ? true : evaluate(when, scope)
  if (holds === false) return undefined
  const { id, effect, strength = 'simple', says } = rule
  if (holds instanceof Failure) {
    const why = `blocked because its condition has no answer: ${holds.reason}`
    return { decider: 'policy', effect: 'block', rule: id, says: why, source, at }
  }
  const opinion = { decider: 'policy', effect, rule: id, says, source, at }
  return effect === 'ask' ? { ...opinion, strength } : opinion
}
