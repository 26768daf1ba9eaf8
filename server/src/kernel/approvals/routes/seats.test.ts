import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApprovalRow } from '../../contract/approval.ts'
import type { Caller, CallerKind } from '../../contract/caller.ts'
import type { AskedRoute } from '../../contract/routes.ts'
import { expireApproval } from '../../retention/expire-rows.ts'
import { approve, deny, escalate, markEdited } from '../transitions.ts'
import { membersOf, whoIsAsked, type AskedMembers } from './seats.ts'

const NOW = 1_700_000_000_000
const groups = new Map([
  ['payments', new Set(['ada', 'bob', 'cy'])],
  ['on-call', new Set(['dan', 'ada'])],
])
const request = (route: Partial<AskedRoute> = {}, more: Partial<ApprovalRow> = {}): ApprovalRow => ({
  v: 1,
  approval_id: 'auth_0123456789abcdef',
  call_id: 'call_0123456789abcdef01234567',
  run_id: 'run_0123456789abcdef',
  tool_id: 'bank__pay',
  definition_hash: 'd'.repeat(64),
  canonical_args: '{}',
  args_hash: 'a'.repeat(64),
  caller: { kind: 'agent', id: 'agent:bot', user: 'eve' },
  thread: 't1',
  policy_version: 'p1',
  strength: 'two_person',
  route: { id: 'large', group: 'payments', people: 2, ...route },
  evidence: [],
  created_at: NOW - 1000,
  expires_at: NOW + 3_600_000,
  state: 'pending',
  decisions: [],
  ...more,
})
const who = (user: string, kind: CallerKind = 'approver'): Caller => ({ kind, id: `${kind}:${user}`, user })

/** `to` is the substitute of `from`. */
type HandedOver = readonly { readonly from: string; readonly to: string }[]
function askedFor(row: ApprovalRow, user: string, handed: HandedOver = []): AskedMembers {
  const members = membersOf(row, groups)
  const substitutes_for = handed.filter(({ to }) => to === user).map(({ from }) => from)
  return { substitutes_for, ...(members === undefined ? {} : { members }) }
}
const say = (row: ApprovalRow, user: string, handed: HandedOver = [], kind: CallerKind = 'approver') =>
  approve(row, who(user, kind), 'role', NOW, undefined, { asked: askedFor(row, user, handed) })
const codeOf = (moved: ReturnType<typeof approve>) => (moved.ok ? undefined : moved.problem.code)
const after = (row: ApprovalRow, users: readonly string[], handed: HandedOver = []): ApprovalRow =>
  users.reduce((so_far, user) => {
    const moved = say(so_far, user, handed)
    return moved.ok ? moved.value : so_far
  }, row)

describe('two of a group', () => {
  test('two members approve it, one does not', () => {
    expect(after(request(), ['ada']).state).toBe('pending')
    expect(after(request(), ['ada', 'bob']).state).toBe('approved')
  })

  test('nobody outside the group approves, denies or edits, whatever their role', () => {
    for (const kind of ['approver', 'admin'] as const) {
      const row = request()
      const asked = askedFor(row, 'dan')
      expect(codeOf(say(row, 'dan', [], kind))).toBe('approval.not_asked')
      expect(codeOf(deny(row, who('dan', kind), 'role', NOW, 'no', { asked }))).toBe('approval.not_asked')
      expect(codeOf(markEdited(row, who('dan', kind), 'auth_fedcba9876543210', NOW, asked))).toBe('approval.not_asked')
    }
  })

  test('a command that does not pass who is asked decides nothing', () => {
    expect(codeOf(approve(request(), who('ada'), 'role', NOW))).toBe('approval.not_asked')
    expect(codeOf(deny(request(), who('ada'), 'role', NOW))).toBe('approval.not_asked')
  })

  test('the same person with two keys counts once', () => {
    expect(codeOf(say(after(request(), ['ada']), 'ada', [], 'admin'))).toBe('approval.already_decided_by_you')
  })

  describe.each([
    ['letter case', 'Ada', 'Eve'],
    ['full-width letters', '\uff41da', 'e\uff56e'],
    ['an invisible character', 'a\u034fda', 'ev\u034fe'],
  ])('a name that differs only in %s is the same person', (_, ada, eve) => {
    const people = (route: Partial<AskedRoute> = {}): ApprovalRow => {
      const { route: __, ...row } = request(route)
      return row
    }
    test('and approves once, without a group and with one', () => {
      expect(codeOf(say(after(people(), ['ada']), ada))).toBe('approval.already_decided_by_you')
      expect(after(people(), ['ada', ada, 'bob'])).toMatchObject({
        state: 'approved',
        decisions: [{}, { user: 'bob' }],
      })
      const both = new Map([['payments', new Set(['ada', ada])]])
      const asked: AskedMembers = { members: both.get('payments') ?? new Set(), substitutes_for: [] }
      const first = approve(request(), who('ada'), 'role', NOW, undefined, { asked })
      const second = first.ok ? approve(first.value, who(ada), 'role', NOW, undefined, { asked }) : first
      expect(codeOf(second)).toBe('approval.already_decided_by_you')
    })
    test('and does not approve their own request', () => {
      expect(codeOf(say(people(), eve))).toBe('approval.own_request')
    })
  })

  test('a token is never accepted', () => {
    const row = request({ people: 1 }, { strength: 'simple' })
    const asked = askedFor(row, 'eve')
    expect(codeOf(approve(row, who('eve', 'user'), 'token', NOW, undefined, { asked }))).toBe('auth.forbidden')
    expect(codeOf(deny(row, who('eve', 'user'), 'token', NOW, undefined, { asked }))).toBe('auth.forbidden')
  })

  test('the requester never counts, even if one person is enough', () => {
    const own = request({ people: 1 }, { strength: 'simple', caller: { kind: 'agent', id: 'agent:bot', user: 'ada' } })
    expect(codeOf(say(own, 'ada'))).toBe('approval.own_request')
    expect(after(own, ['bob']).state).toBe('approved')
  })

  test('somebody who left the group after approving no longer counts', () => {
    const once = after(request(), ['ada'])
    const left = new Set(['bob', 'cy'])
    const moved = approve(once, who('bob'), 'role', NOW, undefined, { asked: { members: left, substitutes_for: [] } })
    expect(moved.ok && moved.value.state).toBe('pending')
  })

  test('a group that is no longer configured has nobody in it', () => {
    const row = request({ group: 'gone' })
    expect(codeOf(say(row, 'ada'))).toBe('approval.not_asked')
  })
})

describe('a substitute', () => {
  const handed = [{ from: 'ada', to: 'dan' }]

  test('is recorded together with the person they decided for', () => {
    expect(after(request(), ['dan'], handed).decisions).toMatchObject([{ user: 'dan', for: 'ada', says: 'approve' }])
  })

  test('and the person they substitute share one seat, in either order', () => {
    expect(codeOf(say(after(request(), ['ada'], handed), 'dan', handed))).toBe('approval.decided_for_you')
    expect(codeOf(say(after(request(), ['dan'], handed), 'ada', handed))).toBe('approval.decided_for_you')
    expect(after(request(), ['dan', 'bob'], handed).state).toBe('approved')
  })

  test('of two people counts once', () => {
    const both = [...handed, { from: 'bob', to: 'dan' }]
    expect(codeOf(say(after(request(), ['dan'], both), 'dan', both))).toBe('approval.already_decided_by_you')
  })

  test('who is also a member has only their own seat', () => {
    const toBob = [{ from: 'ada', to: 'bob' }]
    const once = after(request(), ['bob'], toBob)
    expect(once.decisions[0]?.for).toBeUndefined()
    expect(codeOf(say(once, 'bob', toBob))).toBe('approval.already_decided_by_you')
  })

  test('cannot pass the substitution on', () => {
    const chain = [...handed, { from: 'dan', to: 'fay' }]
    expect(codeOf(say(request(), 'fay', chain))).toBe('approval.not_asked')
  })

  test("is never the requester, nor decides in the requester's place", () => {
    expect(codeOf(say(request(), 'eve', [{ from: 'ada', to: 'eve' }]))).toBe('approval.own_request')
    const own = request({}, { caller: { kind: 'agent', id: 'agent:bot', user: 'ada' } })
    expect(codeOf(say(own, 'dan', handed))).toBe('approval.own_request')
  })

  test("whatever people decide and delegate: approved means two people in two seats, none of them the requester's", () => {
    const people = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay'] as const
    const person = fc.constantFrom(...people)
    const delegations = fc.array(fc.record({ from: person, to: person }), { maxLength: 8 })
    const needed = fc.integer({ min: 2, max: 3 })
    fc.assert(
      fc.property(fc.array(person, { maxLength: 10 }), delegations, person, needed, (users, given, requester, n) => {
        const row = request({ people: n }, { caller: { kind: 'agent', id: 'agent:bot', user: requester } })
        const end = after(row, users, given)
        const said = end.decisions
        const seats = said.map(({ user, for: seat }) => seat ?? user)
        expect(new Set(said.map(({ user }) => user)).size).toBe(said.length)
        expect(new Set(seats).size).toBe(said.length)
        expect([...seats, ...said.map(({ user }) => user)]).not.toContain(requester)
        expect(seats.every((seat) => groups.get('payments')?.has(seat))).toBe(true)
        expect(end.state === 'approved').toBe(said.length === n)
      }),
      { numRuns: 500 },
    )
  })
})

test('a row without its texts still says who is asked and who has decided', () => {
  const { route, decisions } = after(request(), ['dan'], [{ from: 'ada', to: 'dan' }])
  const row = after(request(), ['dan'], [{ from: 'ada', to: 'dan' }])
  expect(expireApproval(row, NOW)).toMatchObject({ route, decisions })
})

describe('an escalation', () => {
  const waiting = request({ escalation: { after_ms: 900_000, to: 'on-call' }, escalates_at: NOW + 900_000 })
  const escalated = escalate(waiting, NOW) ?? waiting

  test('asks the other group too and does not need fewer people', () => {
    expect(codeOf(say(waiting, 'dan'))).toBe('approval.not_asked')
    expect(after(escalated, ['dan']).state).toBe('pending')
    expect(after(escalated, ['dan', 'bob']).state).toBe('approved')
    expect(after(escalated, ['dan', 'ada', 'ada']).decisions).toHaveLength(2)
  })

  test('somebody in both groups has one seat', () => {
    expect(after(escalated, ['ada', 'ada']).state).toBe('pending')
  })

  test('happens once, and only to a pending request', () => {
    expect(escalate(escalated, NOW)).toBeUndefined()
    expect(escalate({ ...waiting, state: 'approved' }, NOW)).toBeUndefined()
    expect(escalate(waiting, waiting.expires_at)).toBeUndefined()
    expect(escalate(request(), NOW)).toBeUndefined()
  })

  test('is shown with the people and how many are missing', () => {
    expect(whoIsAsked(after(escalated, ['dan']), groups)).toEqual({
      route: 'large',
      groups: [
        { name: 'payments', people: ['ada', 'bob', 'cy'] },
        { name: 'on-call', people: ['dan', 'ada'] },
      ],
      people: 2,
      approved: 1,
      missing: 1,
      escalates_at: NOW + 900_000,
      escalates_to: 'on-call',
      escalated_at: NOW,
    })
  })
})
