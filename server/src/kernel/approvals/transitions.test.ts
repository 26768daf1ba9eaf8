import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApprovalState, type ApprovalRow } from '../contract/approval.ts'
import { CallerKind, type Caller } from '../contract/caller.ts'
import type { Result } from '../contract/problems.ts'
import type { Strength } from '../contract/verdict.ts'
import { mayDecide } from './may-decide.ts'
import { approve, consume, deny, expire, goStale, markEdited, MOVES, withdraw, type Move } from './transitions.ts'

const NOW = 1_700_000_000_000
const LATE = NOW + 3_600_000
const request = (strength: Strength, state: ApprovalState = 'pending'): ApprovalRow => ({
  v: 1,
  approval_id: 'auth_0123456789abcdef',
  call_id: 'call_0123456789abcdef01234567',
  run_id: 'run_0123456789abcdef',
  tool_id: 'files__delete',
  definition_hash: 'd'.repeat(64),
  canonical_args: '{}',
  args_hash: 'a'.repeat(64),
  caller: { kind: 'agent', id: 'agent:bot', user: 'ada' },
  thread: 't1',
  policy_version: 'p1',
  strength,
  evidence: [],
  created_at: NOW - 1000,
  expires_at: LATE,
  state,
  decisions: [],
})
const who = (kind: CallerKind, user: string): Caller => ({ kind, id: `${kind}:${user}`, user })
const grace = who('approver', 'grace')
const alan = who('approver', 'alan')

const codeOf = (moved: Result<unknown>) => (moved.ok ? undefined : moved.problem.code)
const rowOf = (moved: Result<ApprovalRow>): ApprovalRow => {
  if (!moved.ok) throw new Error(moved.problem.code)
  return moved.value
}

const TRY: Readonly<Record<Move, (row: ApprovalRow, now: number) => Result<ApprovalRow>>> = {
  approve: (row, now) => approve(row, grace, 'role', now),
  deny: (row, now) => deny(row, grace, 'role', now, 'no'),
  edit: (row, now) => markEdited(row, grace, 'auth_fedcba9876543210', now),
  expire,
  withdraw,
  consume,
  go_stale: goStale,
}
const moves = Object.keys(MOVES) as Move[]

describe('the transitions of an approval', () => {
  test('of all pairs of state and transition exactly the legal ones succeed, and lead where the table says', () => {
    const succeeded = ApprovalState.options.flatMap((state) =>
      moves.flatMap((move) => {
        const moved = TRY[move](request('simple', state), NOW)
        return moved.ok ? [`${state} --${move}--> ${moved.value.state}`] : []
      }),
    )
    expect(succeeded).toEqual([
      'pending --approve--> approved',
      'pending --deny--> denied',
      'pending --edit--> edited',
      'pending --expire--> expired',
      'pending --withdraw--> withdrawn',
      'approved --consume--> consumed',
      'approved --go_stale--> stale',
    ])
  })

  test('no sequence of transitions leaves an end state, or reaches consumed without an approval', () => {
    const ends: readonly ApprovalState[] = ['consumed', 'stale', 'edited', 'denied', 'expired', 'withdrawn']
    const start = fc.constantFrom<Strength>('simple', 'strong', 'two_person').map((strength) => request(strength))
    fc.assert(
      fc.property(start, fc.array(fc.constantFrom(...moves)), (first, tried) => {
        const states = [first]
        for (const move of tried) {
          const before = states.at(-1) ?? first
          const moved = TRY[move](before, NOW)
          if (!moved.ok) continue
          expect(ends).not.toContain(before.state)
          if (moved.value.state === 'consumed') expect(before.state).toBe('approved')
          // Only grace decides here, and one person never approves a two-person request.
          if (first.strength === 'two_person') expect(moved.value.state).not.toBe('approved')
          states.push(moved.value)
        }
      }),
    )
  })

  test('a transition changes the state and its own fields, nothing that was approved', () => {
    fc.assert(
      fc.property(fc.constantFrom(...moves), fc.constantFrom(...ApprovalState.options), (move, state) => {
        const before = request('simple', state)
        const moved = TRY[move](before, NOW)
        if (!moved.ok) return
        const { state: _, decisions: __, replaced_by: ___, ...rest } = moved.value
        const { state: ____, decisions: _____, ...same } = before
        expect(rest).toEqual(same)
      }),
    )
  })

  test('after the expiry nothing is decided or used, even if no timer has fired', () => {
    for (const move of ['approve', 'deny', 'edit'] as const) {
      expect(codeOf(TRY[move](request('simple'), LATE))).toBe('approval.expired')
      expect(codeOf(TRY[move](request('simple'), LATE - 1))).toBeUndefined()
    }
    expect(codeOf(consume(request('simple', 'approved'), LATE))).toBe('approval.expired')
    expect(codeOf(goStale(request('simple', 'approved'), LATE))).toBeUndefined()
    expect(codeOf(expire(request('simple'), LATE))).toBeUndefined()
  })

  test('a call that tries to use an approval learns its state', () => {
    const codes = ApprovalState.options.map((state) => [state, codeOf(consume(request('simple', state), NOW))])
    expect(Object.fromEntries(codes)).toEqual({
      pending: 'auth.forbidden',
      approved: undefined,
      consumed: 'approval.used',
      stale: 'approval.stale',
      edited: 'approval.not_pending',
      denied: 'approval.denied',
      expired: 'approval.expired',
      withdrawn: 'approval.withdrawn',
    })
  })

  test('a second decision is rejected because the first one counts', () => {
    const codes = ApprovalState.options.map((state) => [state, codeOf(TRY.approve(request('simple', state), NOW))])
    expect(Object.fromEntries(codes)).toMatchObject({
      approved: 'approval.not_pending',
      denied: 'approval.not_pending',
      expired: 'approval.expired',
      withdrawn: 'approval.withdrawn',
    })
  })

  test('an edited request names the one that replaces it', () => {
    expect(rowOf(TRY.edit(request('simple'), NOW))).toMatchObject({
      state: 'edited',
      replaced_by: 'auth_fedcba9876543210',
    })
  })
})

describe('who may decide', () => {
  test('by role only approvers and admins', () => {
    const kinds = CallerKind.options.filter((kind) => mayDecide(who(kind, 'x')).ok)
    expect(kinds).toEqual(['approver', 'admin'])
    for (const kind of CallerKind.options.filter((kind) => !kinds.includes(kind))) {
      for (const decide of [approve, deny]) {
        expect(codeOf(decide(request('simple'), who(kind, 'grace'), 'role', NOW))).toBe('auth.forbidden')
      }
      expect(codeOf(markEdited(request('simple'), who(kind, 'grace'), 'auth_fedcba9876543210', NOW))).toBe(
        'auth.forbidden',
      )
    }
  })

  test("by token only the thread's own user, and never with an agent's or a node's credential", () => {
    const by = (kind: CallerKind, user: string) => codeOf(approve(request('simple'), who(kind, user), 'token', NOW))
    expect(by('user', 'ada')).toBeUndefined()
    expect(by('user', 'eve')).toBe('approval.wrong_user')
    expect(by('admin', 'grace')).toBe('approval.wrong_user')
    expect(by('agent', 'ada')).toBe('auth.forbidden')
    expect(by('node', 'ada')).toBe('auth.forbidden')
  })

  test('a token is enough for a simple request only', () => {
    for (const strength of ['strong', 'two_person'] as const) {
      const refused = approve(request(strength), who('user', 'ada'), 'token', NOW)
      expect(refused).toMatchObject({ ok: false, problem: { code: 'auth.forbidden', about: { needs: 'approver' } } })
    }
  })

  test('a strong request is approved by one approver', () => {
    expect(rowOf(approve(request('strong'), grace, 'role', NOW)).state).toBe('approved')
  })

  test('the decision keeps who, how, when and why', () => {
    expect(rowOf(approve(request('simple'), grace, 'role', NOW, 'looks right')).decisions).toEqual([
      { by: 'approver:grace', user: 'grace', says: 'approve', how: 'role', reason: 'looks right', at: NOW },
    ])
  })
})

describe('two people', () => {
  const once = rowOf(approve(request('two_person'), grace, 'role', NOW))

  test('the first approval leaves it pending, and the second, by another person, approves it', () => {
    expect([once.state, once.decisions.length]).toEqual(['pending', 1])
    const twice = rowOf(approve(once, alan, 'role', NOW + 1))
    expect([twice.state, twice.decisions.map((decision) => decision.user)]).toEqual(['approved', ['grace', 'alan']])
  })

  test('one person does not count twice, even with another credential', () => {
    expect(codeOf(approve(once, grace, 'role', NOW))).toBe('approval.already_decided_by_you')
    expect(codeOf(approve(once, who('admin', 'grace'), 'role', NOW))).toBe('approval.already_decided_by_you')
  })

  test('the requester counts neither first nor second', () => {
    const self = who('admin', 'ada')
    expect(codeOf(approve(request('two_person'), self, 'role', NOW))).toBe('approval.own_request')
    expect(codeOf(approve(once, self, 'role', NOW))).toBe('approval.own_request')
  })

  test('one denial ends it, before or after the first approval, even by the same person', () => {
    for (const row of [request('two_person'), once]) {
      for (const by of [grace, alan]) expect(rowOf(deny(row, by, 'role', NOW, 'no')).state).toBe('denied')
    }
  })

  test('in any order, it takes two people other than the requester', () => {
    const people = fc.array(fc.constantFrom('ada', 'grace', 'alan', 'edsger'), { maxLength: 6 })
    fc.assert(
      fc.property(people, (users) => {
        const end = users.reduce((row, user) => {
          const moved = approve(row, who('approver', user), 'role', NOW)
          return moved.ok ? moved.value : row
        }, request('two_person'))
        const others = new Set(users.filter((user) => user !== 'ada'))
        expect(end.state).toBe(others.size >= 2 ? 'approved' : 'pending')
      }),
    )
  })
})
