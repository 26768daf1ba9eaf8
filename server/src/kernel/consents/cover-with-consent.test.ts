import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { STRENGTHS, type Effect, type Opinion, type Strength, type Verdict } from '../contract/verdict.ts'
import type { Decider } from '../decide/decider.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import type { Policy } from '../policy/policy.ts'
import { neutralFacts } from '../decide/neutral-facts.suite.ts'
import { coverWithConsent, decide, DECIDERS } from '../../../test/judging.ts'
import { consentIn, consentUsed } from './cover-with-consent.ts'
import { HASH } from '../decide/neutral-facts.suite.ts'
import { callWith, factOf, row, tool } from './samples.suite.ts'

const RANK: Record<Effect, number> = { allow: 0, ask: 1, block: 2 }

function policyOf(text: string): Policy {
  const compiled = compilePolicy({ text, file: 'policy.yaml' }, { digest: () => HASH })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return compiled.value
}
const careful = policyOf('preset: careful')
const watching = policyOf('preset: observe')
const call = callWith({ to: 'bob' })
const facts = { ...neutralFacts(tool), now: 1000 }

const FOREIGN = [
  ...DECIDERS.map(({ name }) => name).filter((name) => name !== 'policy'),
  'provenance',
  'health',
  'ambiguity',
  'gosuto',
  'consent',
  'approval',
  'gate',
]
const opinionOf = (
  deciders: readonly string[],
  effects: readonly Effect[],
  strengths: readonly Strength[] = STRENGTHS,
) =>
  fc.record({
    decider: fc.constantFrom(...deciders),
    effect: fc.constantFrom(...effects),
    rule: fc.string(),
    says: fc.string(),
    source: fc.string(),
    at: fc.nat(),
    strength: fc.constantFrom(...strengths),
  })
const anyOpinion = opinionOf(['policy', ...FOREIGN], ['allow', 'ask', 'block'])
const saying = (opinions: readonly Opinion[]): Decider[] =>
  opinions.map((one) => ({ name: one.decider, rank: 0, judge: () => [one] }))

const consents = fc.array(
  fc
    .record({
      good: fc.boolean(),
      calls: fc.integer({ min: 0, max: 3 }),
      expires_at: fc.integer({ min: 1, max: 5000 }),
    })
    .map(({ good, calls, expires_at }) =>
      factOf({ expires_at, ...(good ? {} : { actor: 'user:nobody' }) }, { left: { calls } }),
    ),
  { maxLength: 4 },
)

const isPlainPolicyAsk = ({ decider, effect, strength }: Opinion) =>
  decider === 'policy' && effect === 'ask' && strength !== 'two_person'

/** Removes the notes about consents that do not cover the call. */
const withoutNotes = (verdict: Verdict): Verdict => ({
  ...verdict,
  evidence: verdict.evidence.filter(({ rule }) => rule !== 'consent.not_covering'),
})

describe('a consent in a decision', () => {
  test('a held call says which consent does not cover it, and why', () => {
    const why = (consent: Partial<ReturnType<typeof factOf>['row']>, more: object = {}) => {
      const fact = factOf()
      const near = [{ ...fact, ...more, row: { ...fact.row, ...consent } }]
      const verdict = decide(careful, call, { ...facts, near })
      expect(verdict.effect).toBe('ask')
      const note = verdict.evidence.find(({ rule }) => rule === 'consent.not_covering')
      expect(note?.says).toContain(`the consent ${fact.row.consent_id} does not cover this call: `)
      return note?.says.split(': ')[1]
    }
    expect(why({ expires_at: facts.now })).toBe('it has expired')
    expect(why({ revoked_at: 1 })).toBe('it was revoked')
    expect(why({}, { left: { calls: 0 } })).toBe('it is used up')
    expect(why({ lanes: ['other'] })).toBe('it is for other model lanes')
    const { what } = factOf().row
    expect(why({ what: { ...what, args: [{ path: '/text', op: 'equals', value: 'else' }] } })).toMatch(
      /^it does not permit what is in `\/\S+`$/,
    )
    expect(why({ what: { ...what, args: [] } })).toMatch(/^it does not permit /)
    const others = { ...facts, near: [{ ...factOf(), row: { ...factOf().row, actor: 'caller:agent:other' as const } }] }
    expect(decide(careful, call, others).evidence.every(({ rule }) => rule !== 'consent.not_covering')).toBe(true)
  })

  test('law: it changes nothing but an ask by the policy alone that one person may decide', () => {
    fc.assert(
      fc.property(
        fc.array(anyOpinion, { minLength: 1, maxLength: 4 }),
        consents,
        fc.constantFrom(careful, watching),
        (some, given, policy) => {
          const bare = decide(policy, call, facts, saying(some))
          const after = decide(policy, call, { ...facts, consents: given }, saying(some))
          expect(RANK[after.effect]).toBeLessThanOrEqual(RANK[bare.effect])
          const objections = some.filter(({ effect }) => effect !== 'allow')
          if (after.effect === bare.effect) {
            expect(withoutNotes(after)).toEqual(bare)
            return
          }
          expect(policy.mode).toBe('enforce')
          expect(bare.effect).toBe('ask')
          expect(objections.every(isPlainPolicyAsk)).toBe(true)
          expect(consentUsed(after, { ...facts, consents: given })).toBeDefined()
          expect(after.evidence.slice(0, -1)).toEqual(bare.evidence)
        },
      ),
      { numRuns: 500 },
    )
  })

  test("law: another decider's ask, a block, or an ask for two people keeps the verdict unchanged", () => {
    const policyAsk = opinionOf(['policy'], ['ask'], ['simple', 'strong'])
    const objections = fc.oneof(
      opinionOf(FOREIGN, ['ask']),
      opinionOf(['policy', ...FOREIGN], ['block']),
      opinionOf(['policy'], ['ask'], ['two_person']),
    )
    fc.assert(
      fc.property(fc.array(policyAsk, { maxLength: 3 }), objections, fc.nat(3), (asks, other, at) => {
        const evidence = asks.toSpliced(at, 0, other)
        const bare = decide(careful, call, facts, saying(evidence))
        const after = decide(careful, call, { ...facts, consents: [factOf()] }, saying(evidence))
        expect(withoutNotes(after)).toEqual(bare)
        expect(bare.effect).not.toBe('allow')
      }),
    )
  })

  test('law: a plain ask of the policy is allowed exactly when some consent matches', () => {
    const asks = fc.array(opinionOf(['policy'], ['ask', 'allow'], ['simple', 'strong']), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(asks, consents, (some, given) => {
        fc.pre(some.some(({ effect }) => effect === 'ask'))
        const isGood = given.some(
          ({ row: { actor, expires_at }, left }) => actor !== 'user:nobody' && expires_at > 1000 && left.calls > 0,
        )
        expect(decide(careful, call, { ...facts, consents: given }, saying(some)).effect).toBe(isGood ? 'allow' : 'ask')
      }),
    )
  })

  test("law: it changes no verdict except an ask without a block or another decider's ask", () => {
    const verdict = fc.record({
      effect: fc.constantFrom<Effect>('allow', 'ask', 'block'),
      evidence: fc.array(opinionOf(['policy', 'pause'], ['allow', 'ask', 'block']), { maxLength: 3 }),
      observed: fc.option(fc.constantFrom<Effect>('ask', 'block'), { nil: undefined }),
    })
    fc.assert(
      fc.property(verdict, ({ effect, evidence, observed }) => {
        const handed: Verdict = { effect, evidence, ...(observed === undefined ? {} : { observed }) }
        const objections = evidence.filter((opinion) => opinion.effect !== 'allow')
        const isPlain = objections.length > 0 && objections.every(isPlainPolicyAsk)
        const covered = coverWithConsent(handed, call, { ...facts, consents: [factOf()] })
        if (effect === 'ask' && observed === undefined && isPlain) expect(covered.effect).toBe('allow')
        else expect(withoutNotes(covered)).toEqual(handed)
      }),
      { numRuns: 500 },
    )
  })

  test('the real deciders ask about a medium risk, and not if there is a consent', () => {
    expect(decide(careful, call, facts)).toMatchObject({ effect: 'ask', strength: 'simple' })
    const covered = decide(careful, call, { ...facts, consents: [factOf()] })
    expect(covered).toMatchObject({ effect: 'allow', evidence: [{ decider: 'policy' }, { decider: 'consent' }] })
    expect(covered.strength).toBeUndefined()
    const { admitted: _, ...unadmitted } = tool.row
    const changed = { ...facts, tool: { ...tool, row: unadmitted }, consents: [factOf()] }
    expect(decide(careful, call, changed)).toMatchObject({ effect: 'ask' })
  })

  test('an approval is used before a consent, so that no unit is spent on a call a person has approved', () => {
    const approval = {
      approval_id: 'auth_0000000000000000',
      args_hash: HASH,
      definition_hash: HASH,
      strength: 'simple',
      decisions: [{ by: 'approver:bob', user: 'bob', says: 'approve', how: 'role', at: 0 }],
    } as const
    const verdict = decide(careful, call, { ...facts, approval, consents: [factOf()] })
    expect(verdict.effect).toBe('allow')
    expect(consentIn(verdict)).toBeUndefined()
  })
})

describe('of several consents', () => {
  const ask: Verdict = {
    effect: 'ask',
    strength: 'simple',
    evidence: [{ decider: 'policy', effect: 'ask', rule: 'r', says: 's', source: 'f', at: 1, strength: 'simple' }],
  }
  const id = (digit: string) => `cons_${digit.repeat(24)}` as const

  test('the one that expires first is used, then the one with the fewest calls left, whatever order they are read in', () => {
    const late = factOf({ consent_id: id('1'), expires_at: 3000 })
    const fuller = factOf({ consent_id: id('2'), expires_at: 2000 }, { left: { calls: 3 } })
    const emptier = factOf({ consent_id: id('3'), expires_at: 2000 }, { left: { calls: 2 } })
    for (const given of [
      [late, fuller, emptier],
      [emptier, fuller, late],
      [fuller, late, emptier],
    ]) {
      const all = { ...facts, consents: given }
      expect(consentUsed(coverWithConsent(ask, call, all), all)).toBe(emptier)
    }
  })

  test('the one this call has already spent comes before all others', () => {
    const spent = factOf({ consent_id: id('4'), expires_at: 9000 }, { left: { calls: 0 }, spent: true })
    const all = { ...facts, consents: [factOf(), spent] }
    expect(consentUsed(coverWithConsent(ask, call, all), all)).toBe(spent)
  })

  test("a rule that is not a consent's id names no consent", () => {
    const opinion = { decider: 'consent', effect: 'allow', rule: 'careful.low', says: '', source: '', at: 1 } as const
    expect(consentIn({ effect: 'allow', evidence: [opinion] })).toBeUndefined()
    expect(consentIn({ effect: 'allow', evidence: [{ ...opinion, rule: row.consent_id }] })).toBe(row.consent_id)
  })
})
