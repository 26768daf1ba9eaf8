import type { Opinion } from '../../../contract/verdict.ts'
import { isMatch, type Names, namesOf } from './match.ts'
import type { CompiledRule, Layer, Policy, PolicyCall, PolicyFacts } from './policy.ts'
import { eachCandidate } from './rule-index.ts'

/**
 * Policy's opinions on one call: those of the operator's rules that match, else those of the preset's, else a block.
 * Pure and total. The strictest of them is policy's word; all of them are evidence.
 */
export function judgePolicy(policy: Policy, call: PolicyCall, facts: PolicyFacts): Opinion[] {
  const names = namesOf(call, facts)
  for (const layer of [policy.operator, policy.fallback]) {
    const opinions = opinionsOf(layer, names, facts)
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

function opinionsOf(layer: Layer, names: Names, facts: PolicyFacts): Opinion[] {
  const matching: CompiledRule[] = []
  eachCandidate(layer.index, names, (rule) => {
    if (isMatch(rule.match, names) && !matching.includes(rule)) matching.push(rule)
  })
  matching.sort((a, b) => a.order - b.order)
  return matching.map((rule) => opinionOf(rule, facts))
}

function opinionOf({ rule, source }: CompiledRule, { now }: PolicyFacts): Opinion {
  const said = { decider: 'policy', effect: rule.effect, rule: rule.id, says: rule.says, source, at: now }
  return rule.effect === 'ask' ? { ...said, strength: rule.strength ?? 'simple' } : said
}
