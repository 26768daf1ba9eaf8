import type { PolicyFinding } from '../../kernel/ports/policy-check.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { Rule } from '../../kernel/contract/policy.ts'
import { combineOpinions } from '../../kernel/policy/combine-opinions.ts'
import { compilePolicy, presetLayer } from '../../kernel/policy/compile-policy.ts'
import { callFrom, type DescribedCall } from '../../kernel/policy/described-call.ts'
import { judgePolicy } from '../../kernel/policy/judge-policy.ts'
import type { Policy } from '../../kernel/policy/policy.ts'
import { indexRules } from '../../kernel/policy/rule-index.ts'
import { lintPolicy } from './find-in-policy.ts'

function policyOf(text: string): Policy {
  const compiled = compilePolicy({ text, file: 'p.yaml' }, { digest: () => 'v' })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}
const lint = (...rules: string[]) =>
  lintPolicy(policyOf(`rules:\n${rules.map((rule) => `  - { says: x, ${rule} }`).join('\n')}`))
const spell = (findings: readonly PolicyFinding[]) =>
  findings.map(({ kind, rules }) => `${kind} ${rules.join(' ')}`.trim())
const judge = (policy: Policy, example: DescribedCall) => {
  const { call, facts } = callFrom(example)
  return judgePolicy(policy, call, facts)
}

describe('tools that no server lists', () => {
  const found = (tool: string) =>
    lintPolicy(policyOf(`rules: [{ id: a, effect: block, match: { tool: ${tool} }, says: x }]`), {
      listed: {
        has: (id) => ['mail__send', 'mail__delete_message', 'files__read'].includes(id),
        servers: new Set(['mail', 'files']),
        meantBy: (id) => ({ mail__delete_mesage: 'mail__delete_message', files__raed: 'files__read' })[id],
      },
    }).map(({ kind, says }) => `${kind}: ${says}`)
  test.each([
    [
      'mail__delete_mesage',
      ['unlisted: `a` names `mail__delete_mesage`, which no tool server lists; did you mean `mail__delete_message`?'],
    ],
    ['mial__send', ['unlisted: `a` names `mial__send`, which no tool server lists; did you mean `mail__send`?']],
    ['mail__archive_everything', ['unlisted: `a` names `mail__archive_everything`, which no tool server lists']],
    [
      '[mail__send, files__raed]',
      ['unlisted: `a` names `files__raed`, which no tool server lists; did you mean `files__read`?'],
    ],
    ['mail__send', []],
    ['mail__drop_*', []],
    ['bank__transfer', []],
  ])('%s', (tool, findings) => expect(found(tool)).toEqual(findings))

  test('nothing is found where no tools are known', () => {
    expect(lint('id: a, effect: block, match: { tool: mail__sned }')).toEqual([])
  })
})

describe('unreachable rules', () => {
  test.each([
    [
      'a looser rule covered by a broader one',
      ['id: a, effect: ask, match: { tool: mail__* }', 'id: b, effect: allow, match: { tool: mail__send }'],
      ['unreachable b a'],
    ],
    [
      'a rule covered by another one for its server',
      ['id: a, effect: block, match: { server: mail }', 'id: b, effect: ask, match: { tool: mail__send }'],
      ['unreachable b a'],
    ],
    [
      'a weaker ask covered by a stronger one',
      [
        'id: a, effect: ask, match: { risk: [high, critical] }, strength: strong',
        'id: b, effect: ask, match: { risk: high }',
      ],
      ['unreachable b a'],
    ],
    [
      'a duplicate rule',
      ['id: a, effect: ask, match: { tool: x__y }', 'id: b, effect: ask, match: { tool: [x__y] }'],
      ['unreachable b a'],
    ],
    [
      'a condition that never holds',
      ['id: a, effect: ask, match: { tool: x__y }, when: args.n > 5 && args.n < 3'],
      ['unreachable a'],
    ],
    [
      'a tool on the wrong server',
      ['id: a, effect: ask, match: { tool: mail__send, server: files }'],
      ['unreachable a'],
    ],
    [
      'a rule that two others cover together',
      [
        'id: a, effect: block, match: { tool: x__y }, when: args.n <= 10',
        'id: b, effect: block, match: { tool: x__y }, when: args.n > 10',
        'id: c, effect: ask, match: { tool: x__y }, when: "args.n in [7, 70]"',
      ],
      ['unreachable c a b'],
    ],
    [
      'a stricter rule covered by a broader one: none',
      ['id: a, effect: allow, match: { tool: mail__* }', 'id: b, effect: ask, match: { tool: mail__send }'],
      [],
    ],
    [
      'a broader rule next to a stricter one: none',
      ['id: a, effect: allow, match: { tool: mail__* }', 'id: b, effect: block, match: { tool: mail__send }'],
      [],
    ],
    [
      'tags, of which a tool may have none: none',
      ['id: a, effect: ask, match: { tag: "*" }', 'id: b, effect: allow'],
      [],
    ],
    [
      'a rule that two others almost cover together: none',
      [
        'id: a, effect: block, match: { tool: x__y }, when: args.n < 10',
        'id: b, effect: block, match: { tool: x__y }, when: args.n > 10',
        'id: c, effect: block, match: { tool: x__y }, when: "args.n in [7, 10]"',
      ],
      [],
    ],
  ])('%s', (_what, rules, expected) => {
    expect(spell(lint(...rules)).filter((line) => line.startsWith('unreachable'))).toEqual(expected)
  })

  test('a condition that was only sampled proves nothing', () => {
    const found = lint(
      `id: a, effect: block, match: { tool: x__y }, when: 'args.s in ["a", "ax"]'`,
      `id: b, effect: ask, match: { tool: x__y }, when: 'args.s.startsWith("a")'`,
    )
    expect(spell(found)).not.toContain('unreachable b a')
  })

  test('a condition with too many cases to try proves nothing', () => {
    const many = Array.from({ length: 9 }, (_, at) => `args.n${at} == 1`).join(' && ')
    expect(lint(`id: a, effect: ask, match: { tool: x__y }, when: ${many}`)).toEqual([])
  })

  test('a shadowed condition that may have no result is reported as blocking in that case', () => {
    const [finding] = lint(
      'id: a, effect: ask, match: { tool: x__y }',
      'id: b, effect: ask, match: { tool: x__y }, when: args.n > 1',
    )
    expect(finding?.says).toBe(
      '`b` has no effect: `a` decides the same calls at least as strictly; `b` only blocks calls for which its own condition cannot be evaluated',
    )
  })

  test('the example is a call that matches the rule, with the answer of the other', () => {
    const [finding] = lint(
      'id: a, effect: ask, match: { tool: x__y }',
      'id: b, effect: allow, match: { tool: x__y }, when: has(args.n) && args.n > 1',
    )
    expect(finding).toMatchObject({
      example: { tool: 'x__y', args: { n: 2 } },
      answer: { effect: 'ask', rules: ['a'] },
    })
  })

  test.each([
    [['n'], '`b` has no effect: `a` decides the same calls at least as strictly'],
    [
      [],
      '`b` has no effect: `a` decides the same calls at least as strictly; `b` only blocks calls for which its own condition cannot be evaluated',
    ],
  ])('only arguments required by the schema (%j) are assumed to exist', (required, says) => {
    const policy = policyOf(
      'rules: [{ id: a, effect: ask, match: { tool: x__y }, says: x }, { id: b, effect: ask, match: { tool: x__y }, when: args.n > 1, says: x }]',
    )
    const schema: JsonObject = { type: 'object', required, properties: { n: { type: 'number' } } }
    expect(lintPolicy(policy, { schemas: () => schema })[0]?.says).toBe(says)
  })
})

describe('contradictions', () => {
  test.each([
    [
      'the same calls, allowed and blocked',
      ['id: a, effect: allow, match: { tool: x__y }', 'id: b, effect: block, match: { tool: x__y }'],
      ['contradiction b a'],
    ],
    [
      'an overlap at the edge',
      [
        'id: a, effect: allow, match: { tool: x__y }, when: args.n <= 9',
        'id: b, effect: ask, match: { tool: x__y }, when: args.n >= 9',
      ],
      ['contradiction b a'],
    ],
    [
      'an exception: none',
      ['id: a, effect: allow, match: { tool: x__y }', 'id: b, effect: block, match: { tool: x__y }, when: args.n > 9'],
      [],
    ],
    [
      'a split without overlap: none',
      [
        'id: a, effect: allow, match: { tool: x__y }, when: args.n < 9',
        'id: b, effect: ask, match: { tool: x__y }, when: args.n >= 9',
      ],
      [],
    ],
    [
      'rules about different concerns that overlap: none',
      [
        'id: a, effect: ask, match: { tool: x__y }, when: args.n > 9',
        'id: b, effect: block, match: { tool: x__y }, when: time.hour < 6',
      ],
      [],
    ],
    [
      'different tools: none',
      ['id: a, effect: allow, match: { tool: x__y }', 'id: b, effect: block, match: { tool: x__z }'],
      [],
    ],
  ])('%s', (_what, rules, expected) => {
    expect(spell(lint(...rules)).filter((line) => line.startsWith('contradiction'))).toEqual(expected)
  })

  test('the example is a call that both rules match', () => {
    const found = lint(
      'id: a, effect: allow, match: { tool: x__y }, when: args.n <= 9',
      'id: b, effect: ask, match: { tool: x__y }, when: args.n >= 9',
    )
    expect(found[0]?.example.args).toEqual({ n: 9 })
  })
})

describe('gaps', () => {
  test("a value between two rules that neither matches is shown, with the preset's answer", () => {
    const found = lint(
      'id: a, effect: allow, match: { tool: x__y }, when: args.n < 9',
      'id: b, effect: ask, match: { tool: x__y }, when: args.n > 9',
    )
    expect(found.map(({ kind, says, example }) => [kind, says, example.args])).toEqual([
      ['gap', 'none of `a`, `b` decides this call; the preset does: ask (simple)', { n: 9 }],
    ])
  })

  test.each([
    [
      'a third rule that fills it',
      [
        'id: a, effect: allow, match: { tool: x__y }, when: args.n < 9',
        'id: b, effect: ask, match: { tool: x__y }, when: args.n > 9',
        'id: c, effect: block, match: { tool: x__* }',
      ],
    ],
    ['one rule alone', ['id: a, effect: allow, match: { tool: x__y }, when: args.n < 9']],
    [
      'rules about different arguments',
      [
        'id: a, effect: allow, match: { tool: x__y }, when: args.n < 9',
        'id: b, effect: ask, match: { tool: x__y }, when: args.m > 9',
      ],
    ],
  ])('%s is not a gap', (_what, rules) => {
    expect(spell(lint(...rules)).filter((line) => line.startsWith('gap'))).toEqual([])
  })

  test('no preset leaves a call without an answer', () => {
    for (const preset of ['careful', 'strict', 'observe']) expect(lintPolicy(policyOf(`preset: ${preset}`))).toEqual([])
  })

  test('a call that nothing answers is found', () => {
    const policy = policyOf('preset: careful')
    const rules = presetLayer('careful').rules.filter(({ rule }) => rule.id !== 'careful.high')
    const found = lintPolicy({ ...policy, fallback: { rules, index: indexRules(rules) } })
    expect(found).toMatchObject([{ kind: 'gap', example: { risk: 'high' }, answer: { effect: 'block' } }])
  })
})

const rules: fc.Arbitrary<Rule[]> = fc
  .array(
    fc.record({
      effect: fc.constantFrom('allow', 'ask', 'block'),
      match: fc.constantFrom(
        {},
        { tool: ['x__y'] },
        { tool: ['x__*'] },
        { server: ['x'] },
        { tool: ['x__y'], role: ['agent'] },
        { risk: ['high'] },
      ),
      when: fc.constantFrom(
        undefined,
        'args.n > 1',
        'args.n <= 1',
        'args.n == 1',
        'args.n in [1, 2]',
        'has(args.n) && args.n > 1',
        '!has(args.n) || args.n > 3',
        'args.s == "a"',
        'args.s != "a" && args.n > 1',
        'args.s.startsWith("a")',
        'args.o.n == 1',
        'has(args.o) && has(args.o.n) && args.o.n > 1',
        'tool.risk == "high" && args.n < 2',
        '"read" in tool.effects',
        'time.hour < 6',
        'args.list.exists(x, x == "a")',
      ),
    }),
    { minLength: 2, maxLength: 5 },
  )
  .map(
    (list) =>
      list.map(({ when, ...rule }, at) => ({
        ...rule,
        id: `r${at}`,
        says: 'x',
        ...(when === undefined ? {} : { when }),
      })) as Rule[],
  )

const calls: fc.Arbitrary<DescribedCall> = fc.record({
  tool: fc.constantFrom('x__y', 'x__z', 'q__y'),
  effects: fc.subarray(['read', 'write'], { minLength: 1 }),
  risk: fc.constantFrom('low', 'high'),
  caller: fc.constant('agent:a'),
  role: fc.constantFrom('agent', 'user'),
  user: fc.constant('ann'),
  args: fc.record(
    {
      n: fc.constantFrom(0, 1, 1.5, 2, 3, 4, 'a'),
      s: fc.constantFrom('a', 'ab', 'b', 1),
      o: fc.constantFrom({}, { n: 1 }, { n: 2 }, 'x'),
      list: fc.constantFrom([], ['a'], ['b', 'a']),
    },
    { requiredKeys: [] },
  ),
  now: fc.integer({ min: 0, max: 23 }).map((hour) => hour * 3_600_000),
}) as fc.Arbitrary<DescribedCall>

describe('lint findings are true', () => {
  test('an unreachable rule can be removed without changing an answer, except where its condition has no result', () => {
    let found = 0
    fc.assert(
      fc.property(rules, fc.array(calls, { minLength: 20, maxLength: 20 }), (list, examples) => {
        const policy = policyOf(JSON.stringify({ rules: list }))
        for (const { kind, rules: named } of lintPolicy(policy)) {
          if (kind !== 'unreachable') continue
          found += 1
          const without = policyOf(JSON.stringify({ rules: list.filter(({ id }) => id !== named[0]) }))
          for (const example of examples) {
            const before = judge(policy, example)
            if (before.some(({ rule, says }) => rule === named[0] && says.startsWith('blocked because'))) continue
            const { effect, strength } = combineOpinions(before)
            expect(combineOpinions(judge(without, example))).toMatchObject(
              strength === undefined ? { effect } : { effect, strength },
            )
          }
        }
      }),
      { numRuns: 120 },
    )
    expect(found).toBeGreaterThan(20)
  })

  test('the example of a contradiction is answered by both rules, that of a gap by the preset', () => {
    fc.assert(
      fc.property(rules, (list) => {
        const policy = policyOf(JSON.stringify({ rules: list }))
        for (const { kind, rules: named, example } of lintPolicy(policy)) {
          const said = judge(policy, example)
          if (kind === 'contradiction') expect(said.map(({ rule }) => rule)).toEqual(expect.arrayContaining([...named]))
          if (kind === 'gap') expect(said.every(({ source }) => source === 'preset careful')).toBe(true)
        }
      }),
      { numRuns: 80 },
    )
  })
})
