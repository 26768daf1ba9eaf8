import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Match, PolicyFile, Rule } from '../contract/policy.ts'
import { RiskClass, ToolEffect } from '../contract/tool.ts'
import { STRENGTHS, type Opinion } from '../contract/verdict.ts'
import { compilePolicy } from './compile-policy.ts'
import { callFrom, type DescribedCall } from './described-call.ts'
import { judgePolicy } from './judge-policy.ts'
import type { Policy } from './policy.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** JSON is valid YAML, so generated rules are parsed like rules from a file. */
function policyOf(file: { preset?: PolicyFile['preset']; rules: readonly Rule[] }): Policy {
  const compiled = compilePolicy({ text: JSON.stringify(file), file: 'law.yaml' }, { digest })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}

/** Mostly absent, so that many of the rules match many of the calls. */
const seldom = <T>(list: fc.Arbitrary<T[]>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: list })
const globs = (...patterns: string[]) =>
  seldom(fc.uniqueArray(fc.constantFrom(...patterns), { minLength: 1, maxLength: 3 }))
const some = <T extends string>(...words: readonly T[]) =>
  seldom(fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }))

const matches: fc.Arbitrary<Match> = fc
  .record({
    tool: globs('mail__send', 'mail__*', '*__send', '*delete*', 'm*l__s?nd', 'files__delete_all', '*'),
    server: globs('mail', 'f*', '?ail'),
    effects: some(...ToolEffect.options),
    risk: some(...RiskClass.options),
    tag: globs('production', 'p*', '*'),
    caller: globs('agent:a', 'agent:*', '*:b'),
    user: globs('ann', 'b*'),
    role: some('agent', 'user'),
    lane: globs('fast', '*'),
  })
  .map((match) => JSON.parse(JSON.stringify(match)) as Match)

const conditions = fc.constantFrom(
  undefined,
  undefined,
  'args.n > 1',
  'has(args.n) && args.n > 1',
  'args.s == "x"',
  'args.list.exists(item, item == 1)',
  '"write" in tool.effects',
  'labels.exists(label, label == "mail")',
)

const rules: fc.Arbitrary<Rule[]> = fc
  .array(
    fc.record({
      effect: fc.constantFrom('allow', 'ask', 'block'),
      strength: fc.constantFrom(...STRENGTHS),
      match: matches,
      when: conditions,
    }),
    { maxLength: 12 },
  )
  .map((list) =>
    list.map(({ effect, strength, match, when }, at) => ({
      id: `r${at}`,
      effect,
      match,
      says: 'because',
      ...(effect === 'ask' ? { strength } : {}),
      ...(when === undefined ? {} : { when }),
    })),
  )

const calls: fc.Arbitrary<DescribedCall> = fc
  .record({
    tool: fc.constantFrom('mail__send', 'mail__sent', 'files__delete_all', 'files__read'),
    effects: fc.subarray([...ToolEffect.options], { minLength: 1 }),
    risk: fc.constantFrom(...RiskClass.options),
    tags: fc.subarray(['production', 'beta']),
    caller: fc.constantFrom('agent:a', 'agent:b', 'user:b'),
    role: fc.constantFrom('agent', 'user'),
    user: fc.constantFrom('ann', 'bob'),
    args: fc.constantFrom({}, { n: 1 }, { n: 2 }, { n: 'x', s: 'x' }, { s: 'y', list: [1] }, null, [1]),
    lane: fc.option(fc.constantFrom('fast', 'slow'), { nil: undefined }),
    labels: fc.option(fc.constant(['mail']), { nil: undefined }),
  })
  .map((call) => JSON.parse(JSON.stringify(call)) as DescribedCall)

const judge = (policy: Policy, call: DescribedCall) => {
  const { call: own, facts } = callFrom(call)
  return judgePolicy(policy, own, facts)
}

const STRICTNESS = ['allow', 'ask simple', 'ask strong', 'ask two_person', 'block']
const strictness = (opinions: readonly Opinion[]) =>
  Math.max(
    ...opinions.map(({ effect, strength }) => STRICTNESS.indexOf(effect === 'ask' ? `ask ${strength ?? ''}` : effect)),
  )
const spoken = (opinions: readonly Opinion[]) => opinions.map(({ rule, effect, says }) => ({ rule, effect, says }))

/** The definition of matching, without an index and with regular expressions for globs. */
function naiveMatch(match: Match, call: DescribedCall): boolean {
  const names: Record<keyof Match, readonly string[]> = {
    tool: [call.tool],
    server: [call.tool.split('__', 1)[0] ?? ''],
    effects: call.effects,
    risk: [call.risk],
    tag: call.tags ?? [],
    caller: [call.caller],
    user: [call.user],
    role: [call.role],
    lane: call.lane === undefined ? [] : [call.lane],
  }
  return (Object.keys(match) as (keyof Match)[]).every((field) =>
    (match[field] ?? []).some((pattern) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`)
      return names[field].some((name) => expression.test(name))
    }),
  )
}

describe('policy laws', () => {
  test('the index finds exactly the rules that a scan over all of them finds', () => {
    fc.assert(
      fc.property(rules, calls, (list, call) => {
        const bare = list.map((rule) => ({ ...rule, when: undefined }))
        const found = judge(policyOf({ rules: bare }), call).map(({ rule }) => rule)
        const scanned = bare.filter(({ match }) => naiveMatch(match, call)).map(({ id }) => id)
        if (scanned.length > 0) expect(found).toEqual(scanned)
        else expect(found.every((id) => id.startsWith('careful.'))).toBe(true)
      }),
      { numRuns: 600 },
    )
  })

  test('one more operator rule never loosens what an operator rule already answers', () => {
    fc.assert(
      fc.property(rules, rules, calls, fc.nat(), (list, more, call, at) => {
        const extra = more[0]
        if (extra === undefined) return
        const before = judge(policyOf({ rules: list }), call)
        if (before.every(({ source }) => !source.startsWith('law.yaml:'))) return
        const grown = list.toSpliced(at % (list.length + 1), 0, { ...extra, id: 'extra' })
        expect(strictness(judge(policyOf({ rules: grown }), call))).toBeGreaterThanOrEqual(strictness(before))
      }),
      { numRuns: 600 },
    )
  })

  test('the order of the rules changes nothing but the order of the evidence', () => {
    fc.assert(
      fc.property(rules, calls, fc.infiniteStream(fc.nat()), (list, call, chance) => {
        const shuffled = list
          .map((rule) => ({ rule, key: chance.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ rule }) => rule)
        const one = spoken(judge(policyOf({ rules: list }), call))
        const other = spoken(judge(policyOf({ rules: shuffled }), call))
        expect(other).toHaveLength(one.length)
        expect(other).toEqual(expect.arrayContaining(one))
      }),
      { numRuns: 300 },
    )
  })

  test('a matching rule whose condition has no result blocks under its own id, whatever its effect', () => {
    fc.assert(
      fc.property(rules, calls, fc.constantFrom('allow', 'ask', 'block'), (list, call, effect) => {
        const broken: Rule = { id: 'broken', effect, match: {}, when: 'args.no_such_key == 1', says: 'because' }
        const said = judge(policyOf({ rules: [...list, broken] }), call).find(({ rule }) => rule === 'broken')
        expect(said?.effect).toBe('block')
        expect(said?.says).toContain('its condition could not be evaluated')
      }),
      { numRuns: 200 },
    )
  })

  test('every opinion names a rule, its reason and its place', () => {
    fc.assert(
      fc.property(rules, calls, fc.constantFrom('careful', 'strict', 'observe'), (list, call, preset) => {
        const opinions = judge(policyOf({ preset, rules: list }), call)
        expect(opinions.length).toBeGreaterThan(0)
        for (const { decider, rule, says, source } of opinions) {
          expect(decider).toBe('policy')
          expect(rule.length * says.length).toBeGreaterThan(0)
          expect(source).toMatch(new RegExp(`^(law\\.yaml:1|preset ${preset})$`))
        }
      }),
      { numRuns: 200 },
    )
  })
})
