import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../contract/caller.ts'
import type { Rule } from '../contract/policy.ts'
import { RiskClass, ToolEffect } from '../contract/tool.ts'
import { compilePolicy } from './compile-policy.ts'
import { callFrom, type DescribedCall } from './described-call.ts'
import { couldPermit, possibleOpinions } from './possible-opinions.ts'
import { judgePolicy } from './judge-policy.ts'
import type { Policy } from './policy.ts'
import { indexRules } from './rule-index.ts'
import { someRuns } from '../../../test/some-of.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

function policyOf(rules: readonly Partial<Rule>[], preset = 'careful'): Policy {
  const numbered = rules.map((rule, at) => ({ id: `r${at}`, says: 'because', ...rule }))
  const compiled = compilePolicy({ text: JSON.stringify({ preset, rules: numbered }), file: 'law.yaml' }, { digest })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}

/** A preset without rules: none of ours is like this, but one could be. */
const SILENT = { rules: [], index: indexRules([]) }
const AGENT: Caller = { kind: 'agent', id: 'agent:a', user: 'ann' }
const described: DescribedCall = {
  tool: 'mail__send',
  effects: ['write'],
  risk: 'medium',
  tags: [],
  caller: AGENT.id,
  role: AGENT.kind,
  user: AGENT.user,
  args: {},
}
const toolOf = (call: DescribedCall) => ({ ...callFrom(call).facts.tool, tags: call.tags ?? [] })
const could = (rules: readonly Partial<Rule>[]) => couldPermit(policyOf(rules), AGENT, toolOf(described))

describe('whether any call could be permitted', () => {
  test.each<[string, Partial<Rule>[], boolean]>([
    ['the preset answers where no rule matches', [], true],
    ['a block without a condition is final', [{ effect: 'block', match: { tool: ['mail__send'] } }], false],
    ['a block for another caller does not count', [{ effect: 'block', match: { caller: ['agent:b'] } }], true],
    ['a block that depends on the arguments is not final', [{ effect: 'block', when: 'args.n > 1' }], true],
    ['a block that depends on the hour is not final', [{ effect: 'block', when: 'time.hour > 17' }], true],
    ['a block that depends on the lane is not final', [{ effect: 'block', match: { lane: ['fast'] } }], true],
    ['a condition on the tool alone is known now', [{ effect: 'block', when: '"write" in tool.effects' }], false],
    ['the same, when it does not hold', [{ effect: 'block', when: '"read" in tool.effects' }], true],
    ['a condition on the caller alone is known now', [{ effect: 'block', when: 'caller.user == "ann"' }], false],
    [
      'an allow does not override another rule that blocks',
      [
        { effect: 'block', match: { tool: ['mail__*'] } },
        { effect: 'allow', match: { tool: ['mail__send'] } },
      ],
      false,
    ],
  ])('%s', (_, rules, answer) => {
    expect(could(rules)).toBe(answer)
  })

  test('an allow rule that may apply makes an allowed call possible', () => {
    const policy = { ...policyOf([{ effect: 'allow', when: 'args.n > 1' }]), fallback: SILENT }
    expect(couldPermit(policy, AGENT, toolOf(described))).toBe(true)
    expect(couldPermit({ ...policyOf([]), fallback: SILENT }, AGENT, toolOf(described))).toBe(false)
  })

  test('in observe mode the policy blocks nothing', () => {
    const policy = policyOf([{ effect: 'block' }], 'observe')
    expect(couldPermit(policy, AGENT, toolOf(described))).toBe(true)
  })

  const effects = fc.constantFrom('allow', 'ask', 'block')
  const whens = fc.constantFrom(
    undefined,
    undefined,
    'args.n > 1',
    '"write" in tool.effects',
    'caller.user == "ann"',
    'time.hour > 12',
    'tool.risk == "low" || args.n > 1',
  )
  const somewhere = fc.constantFrom(
    {},
    { tool: ['mail__*'] },
    { role: ['user'] },
    { risk: ['low'] },
    { lane: ['fast'] },
  )
  const rules = fc.array(fc.record({ effect: effects, match: somewhere, when: whens }), { maxLength: 5 })
  const calls = fc.record({
    effects: fc.subarray([...ToolEffect.options], { minLength: 1 }),
    risk: fc.constantFrom(...RiskClass.options),
    role: fc.constantFrom('agent', 'user'),
    user: fc.constantFrom('ann', 'bob'),
    args: fc.constantFrom({}, { n: 1 }, { n: 2 }),
    now: fc.constantFrom(0, 50_000_000),
  })

  test('is never false if some call gets anything but a block', () => {
    let denied = 0
    fc.assert(
      fc.property(rules, calls, fc.boolean(), fc.boolean(), (list, more, fast, silent) => {
        const written = policyOf(list.map((rule) => JSON.parse(JSON.stringify(rule)) as Partial<Rule>))
        const policy = silent ? { ...written, fallback: SILENT } : written
        const call: DescribedCall = { ...described, ...more, ...(fast ? { lane: 'fast' } : {}) }
        const { call: asked, facts } = callFrom(call)
        const blocked = judgePolicy(policy, asked, facts).some(({ effect }) => effect === 'block')
        const permitted = couldPermit(policy, asked.caller, toolOf(call))
        if (!permitted) denied += 1
        expect(permitted || blocked).toBe(true)
      }),
      { numRuns: someRuns(2_000) },
    )
    expect(denied).toBeGreaterThan(100)
  })
})

describe('possible opinions', () => {
  test('are those that certainly apply, and those that may, with what they depend on', () => {
    const policy = policyOf([
      { effect: 'ask', strength: 'strong', when: 'args.n > 1 && time.hour > 17', says: 'much, late' },
    ])
    const [operator, preset] = possibleOpinions(policy, AGENT, toolOf(described))
    expect(operator).toEqual({
      certain: [],
      possible: [{ effect: 'ask', strength: 'strong', rule: 'r0', says: 'much, late', depends: ['args', 'time'] }],
    })
    expect(preset?.certain).toMatchObject([{ effect: 'ask', strength: 'simple', rule: 'careful.medium', depends: [] }])
  })
})
