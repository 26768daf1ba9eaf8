import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FACTORS, type ApprovalRow, type ApprovalState, type Factor } from '../contract/approval.ts'
import { checkFactors, type Redemption } from './factors.ts'

const NOW = 1_700_000_000_000
const row: ApprovalRow = {
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
  strength: 'simple',
  evidence: [],
  created_at: NOW - 1000,
  expires_at: NOW + 3_600_000,
  state: 'pending',
  decisions: [],
}
const token = { seconds: NOW / 1000, nonce: '0'.repeat(16), mac: '1'.repeat(64) }
const good: Redemption = {
  approval: row,
  presented: { approval_id: row.approval_id, token, thread: 't1', user: 'ada' },
  args_hash: row.args_hash,
  genuine: true,
  used: false,
  now: NOW,
}

/** One way to break each factor without affecting the others. */
const BREAK: Readonly<Record<Factor, (good: Redemption) => Redemption>> = {
  id: (r) => ({ ...r, presented: { ...r.presented, approval_id: 'auth_ffffffffffffffff' } }),
  expiry: (r) => ({ ...r, now: r.now + 300_000 }),
  arguments: (r) => ({ ...r, args_hash: 'b'.repeat(64) }),
  signature: (r) => ({ ...r, genuine: false }),
  single_use: (r) => ({ ...r, used: true }),
  thread: (r) => ({ ...r, presented: { ...r.presented, thread: 't2' } }),
  user: (r) => ({ ...r, presented: { ...r.presented, user: 'eve' } }),
}
const CODES: Readonly<Record<Factor, string>> = {
  id: 'approval.unknown',
  expiry: 'approval.expired',
  arguments: 'approval.args_changed',
  signature: 'approval.signature_invalid',
  single_use: 'approval.used',
  thread: 'approval.wrong_thread',
  user: 'approval.wrong_user',
}
const failing = (redemption: Redemption) => {
  const check = checkFactors(redemption)
  return check.ok ? [] : check.failing
}
const codeOf = (redemption: Redemption) => {
  const check = checkFactors(redemption)
  return check.ok ? undefined : check.problem.code
}

describe('the seven factors', () => {
  test('a valid redemption fails none', () => {
    expect(checkFactors(good)).toEqual({ ok: true })
  })

  test('every set of broken factors is named completely and in order, and the problem is that of the first', () => {
    fc.assert(
      fc.property(fc.subarray([...FACTORS], { minLength: 1 }), (broken) => {
        const redemption = broken.reduce((so_far, factor) => BREAK[factor](so_far), good)
        const first = FACTORS.find((factor) => broken.includes(factor)) ?? 'id'
        const inOrder = FACTORS.filter((factor) => broken.includes(factor))
        expect(checkFactors(redemption)).toEqual({
          ok: false,
          failing: inOrder,
          problem: {
            code: CODES[first],
            about: { factor: first, factors: inOrder.join(', '), approval_id: redemption.presented.approval_id },
          },
        })
      }),
    )
  })

  test('without a row only the id is named', () => {
    expect(failing({ ...good, approval: undefined })).toEqual(['id'])
  })

  test('a text that is not a token has no valid signature, even if the caller says genuine', () => {
    expect(failing({ ...good, presented: { ...good.presented, token: undefined } })).toEqual(['signature'])
  })

  test.each<[ApprovalState, Factor, string]>([
    ['approved', 'single_use', 'approval.used'],
    ['consumed', 'single_use', 'approval.used'],
    ['expired', 'expiry', 'approval.expired'],
    ['denied', 'id', 'approval.denied'],
    ['withdrawn', 'id', 'approval.withdrawn'],
    ['stale', 'id', 'approval.stale'],
    ['edited', 'id', 'approval.not_pending'],
  ])('a request that is %s fails %s with %s', (state, factor, code) => {
    const redemption = { ...good, approval: { ...row, state } }
    expect([failing(redemption), codeOf(redemption)]).toEqual([[factor], code])
  })

  test('a token is valid for 300 seconds, may be 5 seconds ahead, and expires with its request', () => {
    const at = (now: number) => failing({ ...good, now })
    expect(at(NOW + 299_999)).toEqual([])
    expect(at(NOW + 300_000)).toEqual(['expiry'])
    expect(at(NOW - 5_000)).toEqual([])
    expect(at(NOW - 5_001)).toEqual(['expiry'])
    const dying = { ...row, expires_at: NOW + 10 }
    expect(failing({ ...good, approval: dying, now: NOW + 9 })).toEqual([])
    expect(failing({ ...good, approval: dying, now: NOW + 10 })).toEqual(['expiry'])
  })

  test('ids, threads and users that differ only in case or by a space differ', () => {
    expect(failing({ ...good, presented: { ...good.presented, user: 'Ada' } })).toEqual(['user'])
    expect(failing({ ...good, presented: { ...good.presented, thread: 't1 ' } })).toEqual(['thread'])
    const upper = row.approval_id.toUpperCase()
    expect(failing({ ...good, presented: { ...good.presented, approval_id: upper } })).toEqual(['id'])
  })
})
