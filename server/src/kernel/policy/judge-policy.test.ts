import { describe, expect, test } from 'vitest'
import type { RiskClass, ToolEffect } from '../contract/tool.ts'
import { compilePolicy } from './compile-policy.ts'
import { callFrom, type DescribedCall } from './described-call.ts'
import { judgePolicy } from './judge-policy.ts'

const CALL: DescribedCall = {
  tool: 'mail__send',
  effects: ['external'],
  risk: 'high',
  caller: 'agent:helper',
  role: 'agent',
  user: 'ann',
  args: { to: 'bob@example.com', amount: 5 },
  now: 1000,
}

function judge(text: string, changes: Partial<DescribedCall> = {}) {
  const compiled = compilePolicy({ text, file: 'p.yaml' }, { digest: () => 'v' })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  const { call, facts } = callFrom({ ...CALL, ...changes })
  return judgePolicy(compiled.value, call, facts)
}

const spell = (opinions: ReturnType<typeof judge>) =>
  opinions.map(({ rule, effect, strength }) => [rule, effect, strength].filter((word) => word !== undefined).join(' '))

describe('judgePolicy', () => {
  test('gives complete evidence: rule, effect, reason, place and time', () => {
    const text =
      'rules:\n  - id: mail\n    effect: ask\n    strength: strong\n    match: { tool: mail__* }\n    says: mail leaves the house\n'
    expect(judge(text)).toEqual([
      {
        decider: 'policy',
        effect: 'ask',
        strength: 'strong',
        rule: 'mail',
        says: 'mail leaves the house',
        source: 'p.yaml:2',
        at: 1000,
      },
    ])
  })

  test('an ask without a strength is simple', () => {
    expect(spell(judge('rules: [{ id: a, effect: ask, says: x }]'))).toEqual(['a ask simple'])
  })

  test('an operator rule replaces the preset, even if it is looser', () => {
    expect(spell(judge('rules: [{ id: a, effect: allow, match: { tool: mail__send }, says: x }]'))).toEqual(['a allow'])
  })

  test('if no operator rule matches, the preset answers and says so', () => {
    const [opinion] = judge('rules: [{ id: a, effect: allow, match: { tool: files__* }, says: x }]')
    expect(opinion).toMatchObject({ rule: 'careful.high', effect: 'ask', strength: 'strong', source: 'preset careful' })
  })

  test('a rule whose condition is false does not match', () => {
    const text = 'rules: [{ id: a, effect: allow, when: args.amount > 5, says: x }]'
    expect(spell(judge(text))).toEqual(['careful.high ask strong'])
  })

  test.each([
    ['a missing key', 'args.total > 5', '`args.total` is missing'],
    ['a value of the wrong type', 'args.to > 5', '`args.to > 5` compares values of different types'],
    ['a failure before an `||`', 'args.total > 5 || true', '`args.total` is missing'],
    ['unknown labels', '"mail" in labels', 'the labels of this session are unknown'],
    ['a value that is not a boolean', 'args.amount', 'the condition is neither true nor false'],
  ])("%s blocks under the rule's own id and says why", (_what, condition, reason) => {
    const [opinion] = judge(`rules: [{ id: a, effect: allow, when: '${condition}', says: x }]`)
    expect(opinion).toMatchObject({
      rule: 'a',
      effect: 'block',
      says: `blocked because its condition could not be evaluated: ${reason}`,
      source: 'p.yaml:1',
    })
  })

  test('arguments that are not JSON block only rules that use them', () => {
    const policy = compilePolicy(
      { text: 'rules: [{ id: a, effect: allow, when: args.x == 1, says: x }]', file: 'p.yaml' },
      { digest: () => 'v' },
    )
    if (!policy.ok) throw new Error('unreachable')
    const { call, facts } = callFrom(CALL)
    const [opinion] = judgePolicy(policy.value, { ...call, canonical_args: '{' }, facts)
    expect(opinion?.says).toBe('blocked because its condition could not be evaluated: the arguments are not JSON')
  })

  const unknown = (text: string) => {
    const compiled = compilePolicy({ text, file: 'p.yaml' }, { digest: () => 'v' })
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
    const { call, facts } = callFrom(CALL)
    const { now, tool } = facts
    return judgePolicy(compiled.value, call, { now, tool })
  }

  test.each([
    ['match: { tag: production }', 'it depends on the tag of this call, which is unknown'],
    ['match: { tag: [a, "b*", "*c"], tool: "mail__*" }', 'it depends on the tag of this call, which is unknown'],
    ['match: { lane: "*x*" }', 'it depends on the lane of this call, which is unknown'],
    ['when: \'"a" in tool.tags\'', 'its condition could not be evaluated: the tags of this tool are unknown'],
    ['when: "has(session.lane)"', 'its condition could not be evaluated: the lane of this call is unknown'],
  ])('a rule with %s blocks if that is unknown', (part, why) => {
    for (const effect of ['allow', 'block']) {
      const opinions = unknown(`rules: [{ id: a, effect: ${effect}, ${part}, says: x }]`)
      expect(opinions).toMatchObject([{ rule: 'a', effect: 'block', says: `blocked because ${why}` }])
    }
  })

  test('an unknown tag does not matter if another field already rules the rule out', () => {
    expect(spell(unknown('rules: [{ id: a, effect: allow, match: { tag: x, tool: files__read }, says: x }]'))).toEqual([
      'careful.high ask strong',
    ])
  })

  test('a tool without tags and a call without a lane match no tag and no lane', () => {
    expect(spell(judge('rules: [{ id: a, effect: block, match: { tag: "*" }, says: x }]'))).toEqual([
      'careful.high ask strong',
    ])
    expect(spell(judge('rules: [{ id: a, effect: block, match: { lane: "*" }, says: x }]'))).toEqual([
      'careful.high ask strong',
    ])
  })

  test('opinions never contain argument values', () => {
    const text = 'rules: [{ id: a, effect: allow, when: args.to > 5, says: x }]'
    expect(JSON.stringify(judge(text))).not.toContain('bob@example.com')
  })
})

/** The presets written out, one risk class at a time. */
const PRESETS: readonly (readonly [preset: string, risk: RiskClass, effects: readonly ToolEffect[], said: string])[] = [
  ['careful', 'low', ['read'], 'careful.low allow'],
  ['careful', 'medium', ['write'], 'careful.medium ask simple'],
  ['careful', 'high', ['external'], 'careful.high ask strong'],
  ['careful', 'critical', ['privileged'], 'careful.critical ask two_person'],
  ['observe', 'critical', ['privileged'], 'careful.critical ask two_person'],
  ['strict', 'low', ['read'], 'strict.low ask simple'],
  ['strict', 'low', ['write'], 'strict.low ask simple'],
  ['strict', 'medium', ['read', 'write'], 'strict.medium ask simple'],
  ['strict', 'high', ['destructive'], 'strict.high ask strong'],
  ['strict', 'critical', ['read'], 'strict.critical ask two_person'],
]

describe('presets', () => {
  test.each(PRESETS)('%s on %s (%s): %s', (preset, risk, effects, said) => {
    expect(spell(judge(`preset: ${preset}`, { risk, effects }))).toEqual([said])
  })

  test('strict allows reads inside a sandbox, and nothing else', () => {
    const inside = (risk: RiskClass, effects: readonly ToolEffect[]) =>
      spell(judge('preset: strict', { risk, effects, sandboxed: true }))
    expect(inside('low', ['read'])).toEqual(['strict.read allow'])
    expect(inside('low', ['write'])).toEqual(['strict.low ask simple'])
    expect(inside('medium', ['write'])).toEqual(['strict.medium ask simple'])
  })

  test.each([
    ['careful', 1, 'strong', 'passphrase'],
    ['strict', 1, 'strong', 'passphrase'],
    ['careful', 0, 'strong', 'passphrase'],
    ['careful', 2, 'two_person', undefined],
    ['careful', undefined, 'two_person', undefined],
  ] as const)('%s with %s approvers asks for %s, with %s', (preset, approvers, strength, proof) => {
    const known = approvers === undefined ? {} : { approvers }
    const [opinion] = judge(`preset: ${preset}`, { risk: 'critical', effects: ['privileged'], ...known })
    expect([opinion?.effect, opinion?.strength, opinion?.proof]).toEqual(['ask', strength, proof])
  })

  test("an operator's rule that requires two people keeps requiring them", () => {
    const text =
      'rules: [{ id: both, effect: ask, strength: two_person, match: { risk: critical }, says: both decide }]'
    const [opinion] = judge(text, { risk: 'critical', effects: ['privileged'], approvers: 1 })
    expect([opinion?.strength, opinion?.proof]).toEqual(['two_person', undefined])
  })
})
