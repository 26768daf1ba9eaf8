import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApprovalRow } from '../contract/approval.ts'
import { CallerKind, DECIDING_KINDS, type Caller } from '../contract/caller.ts'
import { CONSENT_LIMITS, type Constraint, type ConsentTerms } from '../contract/consent.ts'
import type { Json } from '../contract/json.ts'
import { STRENGTHS, type Opinion, type Strength } from '../contract/verdict.ts'
import { canonicalJson } from '../json/canonical.ts'
import { DECIDERS } from '../../../test/judging.ts'
import { buildConsent, consentListOf, consentListsOf, termsToRemember } from './build-consent.ts'
import { matchConsent } from './match-consent.ts'
import { permitsArgs } from './permits-args.ts'
import { HASH } from '../decide/neutral-facts.suite.ts'
import { callWith, moment } from './samples.suite.ts'

const bob: Caller = { kind: 'approver', id: 'approver:bob', user: 'bob' }
const drawn = { consent_id: `cons_${'1'.repeat(24)}`, now: 1000 } as const
const terms: ConsentTerms = {
  actor: 'caller:agent:a',
  what: { tool: 'mail__send', args: [] },
  calls: 5,
  expires_in_s: 60,
}

describe('a consent is created', () => {
  test('with its expiry and its index key', () => {
    expect(buildConsent(terms, bob, drawn)).toMatchObject({
      ok: true,
      value: { calls: 5, minted_at: 1000, expires_at: 61_000, minted_by: 'approver:bob', shelf: 'caller:agent:a' },
    })
  })

  test('only by somebody who may decide approvals', () => {
    for (const kind of CallerKind.options) {
      const drawnUp = buildConsent(terms, { kind, id: `${kind}:x`, user: 'x' }, drawn)
      expect(drawnUp.ok).toBe(DECIDING_KINDS.includes(kind))
      if (!drawnUp.ok) expect(drawnUp.problem.code).toBe('auth.forbidden')
    }
  })

  test.each<[string, object]>([
    ['no number of calls', { calls: undefined }],
    ['no end', { expires_in_s: undefined }],
    ['zero calls', { calls: 0 }],
    ['more calls than allowed', { calls: CONSENT_LIMITS.calls + 1 }],
    ['unlimited calls', { calls: Infinity }],
    ['half a call', { calls: 1.5 }],
    ['a longer lifetime than allowed', { expires_in_s: CONSENT_LIMITS.expires_in_s + 1 }],
    ['an end in the past', { expires_in_s: -1 }],
    ['more cost than allowed', { cost: CONSENT_LIMITS.cost + 1 }],
    ['a tool on any server', { what: { tool: '*', args: [] } }],
    ['a tool on some server', { what: { tool: 'ma*__send', args: [] } }],
    ['no constraints on arguments', { what: { tool: 'mail__send' } }],
    ['an unknown bound', { forever: true }],
    ['an actor of unknown kind', { actor: 'agent:a' }],
    ['nobody', { actor: 'caller:' }],
    ['an invalid pointer', { what: { tool: 'mail__send', args: [{ path: 'to', op: 'any' }] } }],
    ['an unknown comparison', { what: { tool: 'mail__send', args: [{ path: '/to', op: 'matches', value: '.*' }] } }],
    ['half a host', { what: { tool: 'mail__send', args: [{ path: '/u', op: 'prefix', value: 'https://a.example' }] } }],
    ['an empty list of lanes', { lanes: [] }],
  ])('never with %s', (_, wrong) => {
    expect(buildConsent({ ...terms, ...wrong }, bob, drawn)).toMatchObject({
      ok: false,
      problem: { code: 'request.invalid' },
    })
  })

  test("a caller's consents have index keys that are read for this caller", () => {
    const lists = consentListsOf({ kind: 'agent', id: 'agent:a', user: 'ana' })
    for (const actor of ['caller:agent:a', 'user:ana', 'caller:*', 'caller:agent:?'] as const)
      expect(lists).toContain(consentListOf(actor))
    for (const actor of ['caller:agent:b', 'user:bob'] as const) expect(lists).not.toContain(consentListOf(actor))
  })
})

const ask = (decider: string, strength: Strength = 'simple'): Opinion => ({
  decider,
  effect: 'ask',
  rule: `${decider}.rule`,
  says: 'asks',
  source: 'x',
  at: 1,
  strength,
})

function approvalOf(
  args: Json,
  evidence: readonly Opinion[] = [ask('policy')],
  more: Partial<ApprovalRow> = {},
): ApprovalRow {
  const { call_id, tool_id, definition_hash, canonical_args, args_hash, caller, thread } = callWith(args)
  return {
    v: 1,
    approval_id: 'auth_0000000000000000',
    run_id: 'run_0000000000000000',
    call_id,
    tool_id,
    definition_hash,
    canonical_args,
    args_hash,
    caller,
    thread,
    policy_version: HASH,
    strength: STRENGTHS.findLast((strength) => evidence.some((opinion) => opinion.strength === strength)) ?? 'simple',
    evidence,
    created_at: 0,
    expires_at: 10,
    state: 'pending',
    decisions: [],
    ...more,
  }
}
const bounds = { calls: 2, expires_in_s: 60 }

describe('approve and remember', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })) as fc.Arbitrary<{ [key: string]: Json }>
  const canonical = (value: Json) => canonicalJson(value)

  test('law: by default it covers the approved call again, and no call with other arguments, tool, caller or definition', () => {
    fc.assert(
      fc.property(object, object, (approved, other) => {
        fc.pre(canonical(approved).ok && canonical(other).ok)
        const remembered = termsToRemember(approvalOf(approved), bounds, DECIDERS)
        if (!remembered.ok) throw new Error(remembered.problem.code)
        const minted = buildConsent(remembered.value, bob, { ...drawn, now: 0 })
        if (!minted.ok) throw new Error(JSON.stringify(minted.problem))
        const fact = { row: minted.value, version: 1, left: { calls: 2 }, cost: 1 }
        expect(matchConsent(fact, callWith(approved), moment)).toBe(true)
        expect(matchConsent(fact, callWith(other), moment)).toBe(
          callWith(other).canonical_args === callWith(approved).canonical_args,
        )
        const others = [
          { tool_id: 'mail__sendx' },
          { definition_hash: 'b'.repeat(64) },
          { caller: { kind: 'agent', id: 'agent:b', user: 'ana' } as const },
        ]
        for (const more of others) expect(matchConsent(fact, callWith(approved, more), moment)).toBe(false)
      }),
    )
  })

  test('law: constraints that the approved call does not meet are rejected, so the call is always an example of the consent', () => {
    const constraint: fc.Arbitrary<Constraint> = fc.oneof(
      fc.record({ path: fc.constantFrom('/a', '/b', ''), op: fc.constant('any' as const) }),
      fc.record({
        path: fc.constantFrom('/a', '/b'),
        op: fc.constant('equals' as const),
        value: fc.constantFrom(1, 'x'),
      }),
      fc.record({ path: fc.constantFrom('/a', '/b'), op: fc.constant('max' as const), value: fc.constantFrom(0, 5) }),
    )
    const args = fc.record({ a: fc.constantFrom(1, 'x', 3), b: fc.constantFrom(1, 'x', 3) }, { requiredKeys: [] })
    fc.assert(
      fc.property(args, fc.array(constraint, { maxLength: 3 }), (approved, chosen) => {
        const remembered = termsToRemember(approvalOf(approved), { ...bounds, args: chosen }, DECIDERS)
        expect(remembered.ok).toBe(permitsArgs(chosen, approved))
        if (!remembered.ok) expect(remembered.problem.code).toBe('consent.not_the_call')
      }),
    )
  })

  test.each<[string, ApprovalRow]>([
    ['two people must approve', approvalOf({}, [ask('policy', 'two_person')])],
    ['two people must approve for another reason', approvalOf({}, [ask('policy')], { strength: 'two_person' })],
    ['the definition is asked about too', approvalOf({}, [ask('policy'), ask('definition', 'strong')])],
    ['an admin has paused', approvalOf({}, [ask('pause', 'strong')])],
    ['the request has no evidence', approvalOf({}, [])],
    [
      "the caller's id is a pattern",
      approvalOf({}, [ask('policy')], { caller: { kind: 'agent', id: 'agent:*', user: 'a' } }),
    ],
  ])('a consent is not created if %s', (_, approval) => {
    expect(termsToRemember(approval, bounds, DECIDERS)).toMatchObject({ problem: { code: 'consent.not_rememberable' } })
  })
})
