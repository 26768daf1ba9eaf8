import { describe, expect, test } from 'vitest'
import type { ApprovalRow, Factor } from '../../contract/approval.ts'
import { checkFactors, type Redemption } from '../factors.ts'
import { claimsOf, parseToken } from '../token.ts'
import { createTokenKeys } from '../../../adapters/keys/token-keys.ts'

/** Every known way to forge a token from another one. None is redeemed, and the answer names the check that failed. */

const NOW = 1_700_000_000_000
const keys = createTokenKeys({ active: Buffer.alloc(32, 1), previous: Buffer.alloc(32, 2) })
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
  created_at: NOW,
  expires_at: NOW + 3_600_000,
  state: 'pending',
  decisions: [],
}
const SHOWN = 'd'.repeat(64)
const token = keys.mint(claimsOf(row, SHOWN), NOW)

type Attempt = { readonly shown?: string } & Partial<Pick<Redemption, 'args_hash' | 'used' | 'now'>> &
  Partial<Omit<Redemption['presented'], 'token'>>

/** Redeems a text for a stored request as the command does. Everything else is valid, unless the attempt changes it. */
function redeem(text: string, approval: ApprovalRow = row, attempt: Attempt = {}): readonly Factor[] {
  const parsed = parseToken(text)
  const { approval_id = approval.approval_id, thread = approval.thread, user = approval.caller.user } = attempt
  const check = checkFactors({
    approval,
    presented: { approval_id, token: parsed, thread, user },
    args_hash: attempt.args_hash ?? approval.args_hash,
    genuine: parsed !== undefined && keys.isGenuine(parsed, claimsOf(approval, attempt.shown ?? SHOWN)),
    used: attempt.used ?? false,
    now: attempt.now ?? NOW,
  })
  return check.ok ? [] : check.failing
}

/** Those of the texts that would be redeemed, or refused without naming the signature. */
const unnoticed = (texts: readonly string[]) => texts.filter((text) => !redeem(text).includes('signature'))

describe('forged tokens', () => {
  test('the token itself is redeemed', () => {
    expect(redeem(token)).toEqual([])
  })

  test('every flipped bit of the text is detected', () => {
    const flipped = Array.from({ length: token.length * 16 }, (_, bit) => {
      const at = bit >> 4
      const unit = String.fromCharCode(token.charCodeAt(at) ^ (1 << (bit & 15)))
      return token.slice(0, at) + unit + token.slice(at + 1)
    })
    expect(flipped).toHaveLength(token.length * 16)
    expect(unnoticed(flipped)).toEqual([])
  })

  test('every letter in the other case is detected', () => {
    const letters = token.split('').flatMap((letter, at) => (letter === letter.toUpperCase() ? [] : [at]))
    const flipped = letters.map((at) => token.slice(0, at) + token.charAt(at).toUpperCase() + token.slice(at + 1))
    expect(flipped.length).toBeGreaterThan(10)
    expect(unnoticed([...flipped, token.toUpperCase()])).toEqual([])
  })

  test('every truncation at either end is detected', () => {
    const lengths = Array.from({ length: token.length }, (_, length) => length)
    expect(unnoticed(lengths.flatMap((length) => [token.slice(0, length), token.slice(length + 1)]))).toEqual([])
  })

  test('every removed, doubled or inserted character is detected', () => {
    const places = Array.from({ length: token.length }, (_, at) => at)
    const texts = places.flatMap((at) => [
      token.slice(0, at) + token.slice(at + 1),
      token.slice(0, at) + token.charAt(at) + token.slice(at),
      ...[' ', '\n', '\0', '0', '.', '\u200b'].map((extra) => token.slice(0, at + 1) + extra + token.slice(at + 1)),
    ])
    expect(unnoticed(texts)).toEqual([])
  })

  test('every exchange of fields between two tokens is detected', () => {
    const other = keys.mint(claimsOf({ ...row, approval_id: 'auth_fedcba9876543210' }, SHOWN), NOW + 1000)
    const renewed = keys.mint(claimsOf(row, SHOWN), NOW + 1000)
    const own = token.split('.')
    for (const donor of [other, renewed].map((text) => text.split('.'))) {
      const mixes = Array.from({ length: 8 }, (_, mask) =>
        own.map((field, index) => (index > 0 && (mask >> (index - 1)) & 1 ? donor[index] : field)).join('.'),
      )
      const genuine = [token, renewed]
      expect(unnoticed(mixes.filter((mix) => !genuine.includes(mix)))).toEqual([])
    }
    expect(unnoticed([own.toReversed().join('.'), [own[0], own[1], own[3], own[2]].join('.')])).toEqual([])
  })

  test('a token with a later time is detected', () => {
    const [version, seconds, nonce, mac] = token.split('.')
    const younger = [version, Number(seconds) + 299, nonce, mac].join('.')
    expect(redeem(younger, row, { now: NOW + 400_000 })).toEqual(['signature'])
  })

  test('a token signed with another key, or with none, is detected', () => {
    const foreign = createTokenKeys({ active: Buffer.alloc(32, 3) }).mint(claimsOf(row, SHOWN), NOW)
    expect(unnoticed([foreign, `${token.slice(0, -64)}${'0'.repeat(64)}`])).toEqual([])
  })
})

describe('genuine tokens in the wrong place', () => {
  test.each<[string, Partial<ApprovalRow>]>([
    ['tool with equal arguments', { tool_id: 'files__read' }],
    ['definition of the tool', { definition_hash: 'e'.repeat(64) }],
    ['arguments', { args_hash: 'b'.repeat(64) }],
    ['thread', { thread: 't2' }],
    ['user', { caller: { ...row.caller, user: 'eve' } }],
    ['request', { approval_id: 'auth_fedcba9876543210' }],
    ['expiry', { expires_at: row.expires_at + 1 }],
  ])('a token for another %s is rejected for this request', (_, different) => {
    expect(redeem(keys.mint(claimsOf({ ...row, ...different }, SHOWN), NOW))).toEqual(['signature'])
    expect(redeem(token, { ...row, ...different })).toEqual(['signature'])
  })

  test('a token for a packet that has changed since is rejected', () => {
    expect(redeem(token, row, { shown: SHOWN })).toEqual([])
    expect(redeem(token, row, { shown: 'e'.repeat(64) })).toEqual(['signature'])
  })

  test.each<[string, Attempt, Factor]>([
    ['for another request`s id', { approval_id: 'auth_fedcba9876543210' }, 'id'],
    ['in another thread', { thread: 't2' }, 'thread'],
    ['by another user', { user: 'eve' }, 'user'],
    ['for arguments that have changed', { args_hash: 'b'.repeat(64) }, 'arguments'],
    ['a second time', { used: true }, 'single_use'],
    ['after 300 seconds', { now: NOW + 300_000 }, 'expiry'],
    ['more than 5 seconds before it was made', { now: NOW - 5_001 }, 'expiry'],
  ])('presented %s it fails that factor alone', (_, attempt, factor) => {
    expect(redeem(token, row, attempt)).toEqual([factor])
  })

  test.each(['approved', 'consumed'] as const)('replayed on a request that is %s it counts as used', (state) => {
    expect(redeem(token, { ...row, state })).toEqual(['single_use'])
  })
})
