import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Call } from '../contract/call.ts'
import type { ConsentRow } from '../contract/consent.ts'
import { matchConsent, type ConsentFact, type ConsentMoment } from './match-consent.ts'
import { HASH } from '../decide/neutral-facts.suite.ts'
import { callWith, factOf, moment, row, tool } from './samples.suite.ts'

type Attempt = { fact: ConsentFact; call: Call; moment: ConsentMoment }
const good: Attempt = { fact: factOf(), call: callWith({ to: 'bob' }), moment }
const isMatch = ({ fact, call, moment }: Attempt) => matchConsent(fact, call, moment)
const withRow = (more: Partial<ConsentRow>): Attempt => ({ ...good, fact: factOf(more) })
const withCall = (args: Parameters<typeof callWith>[0], more: Partial<Call> = {}): Attempt => ({
  ...good,
  call: callWith(args, more),
})

/** Each one breaks a matching consent in one way. */
const BREAKS: Readonly<Record<string, Attempt>> = {
  'expired this very millisecond': withRow({ expires_at: 1000 }),
  'not yet given': withRow({ minted_at: 1001 }),
  revoked: withRow({ revoked_at: 5, revoked_by: 'admin:x' }),
  exhausted: { ...good, fact: factOf({}, { left: { calls: 0 } }) },
  'without remaining cost': { ...good, fact: factOf({ cost: 10 }, { left: { calls: 3, cost: 4 }, cost: 5 }) },
  'of unknown cost': { ...good, fact: factOf({ cost: 10 }, { left: { calls: 3 } }) },
  'for another caller': withCall({ to: 'bob' }, { caller: { kind: 'agent', id: 'agent:b', user: 'ana' } }),
  'for a caller whose id only begins alike': withCall(
    { to: 'bob' },
    { caller: { kind: 'agent', id: 'agent:ab', user: 'ana' } },
  ),
  'for another user': withRow({ actor: 'user:eve' }),
  "for a user of the caller's name": withRow({ actor: 'user:agent:a' }),
  'for another tool': withRow({ what: { ...row.what, tool: 'mail__read' } }),
  'for another server': withRow({ what: { ...row.what, tool: 'mall__*' } }),
  'for another definition': withRow({ what: { ...row.what, definition_hash: 'b'.repeat(64) } }),
  'for a lane, and the call has none': { ...withRow({ lanes: ['local*'] }), moment: { ...moment, lane: null } },
  "for a lane, and the call's is not known": withRow({ lanes: ['*'] }),
  'for another lane': { ...withRow({ lanes: ['local*'] }), moment: { ...moment, lane: 'cloud' } },
  'for other arguments': withCall({ to: 'eve' }),
  'for more arguments': withCall({ to: 'bob', bcc: 'eve' }),
  'for a call whose tool is not the one it names': withCall({ to: 'bob' }, { tool_id: 'mail__other' }),
  'for arguments that are not JSON': { ...good, call: { ...good.call, canonical_args: '{' } },
}

describe('a consent', () => {
  test('matches the call it was given for', () => {
    expect(isMatch(good)).toBe(true)
    const also: Attempt[] = [
      withRow({ actor: 'caller:agent:*' }),
      withRow({ actor: 'user:ana' }),
      withRow({ what: { ...row.what, tool: 'mail__*' } }),
      withRow({ what: { ...row.what, definition_hash: HASH } }),
      { ...withRow({ lanes: ['cloud', 'local*'] }), moment: { ...moment, lane: 'local-small' } },
      { ...good, fact: factOf({ cost: 10 }, { left: { calls: 1, cost: 5 }, cost: 5 }) },
      { ...good, fact: factOf({}, { left: { calls: 0 }, spent: true }) },
    ]
    expect(also.map(isMatch)).toEqual(also.map(() => true))
  })

  test.each(Object.keys(BREAKS))('does not match when it is %s', (name) => {
    const broken = BREAKS[name]
    expect(broken !== undefined && isMatch(broken)).toBe(false)
  })

  test('law: expired, revoked or exhausted it matches nothing, whatever else it says', () => {
    const anything = fc.record({
      actor: fc.constantFrom('caller:*' as const, 'user:ana' as const, 'caller:agent:a' as const),
      expires_at: fc.integer({ min: 0, max: 2000 }),
      minted_at: fc.integer({ min: 0, max: 2000 }),
      revoked_at: fc.option(fc.nat(), { nil: undefined }),
      calls_left: fc.integer({ min: 0, max: 2 }),
      now: fc.integer({ min: 0, max: 3000 }),
    })
    fc.assert(
      fc.property(anything, ({ actor, expires_at, minted_at, revoked_at, calls_left, now }) => {
        const what = { tool: 'mail__*', args: [{ path: '', op: 'any' as const }] }
        const revoked = revoked_at === undefined ? {} : { revoked_at }
        const fact = factOf({ actor, what, expires_at, minted_at, ...revoked }, { left: { calls: calls_left } })
        const isGood = minted_at <= now && now < expires_at && revoked_at === undefined && calls_left > 0
        expect(matchConsent(fact, good.call, { now, tool })).toBe(isGood)
      }),
    )
  })
})
