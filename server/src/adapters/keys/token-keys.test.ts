import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TokenClaims } from '../../kernel/ports/keys.ts'
import { createTokenKeys, tokenBytes } from './token-keys.ts'
import { someRuns } from '../../../test/some-of.ts'

const key = (fill: number) => Buffer.alloc(32, fill)
const NOW = 1_700_000_000_123
const claims: TokenClaims = {
  approval_id: 'auth_0123456789abcdef',
  tool_id: 'files__delete',
  definition_hash: 'd'.repeat(64),
  args_hash: 'a'.repeat(64),
  thread: 't1',
  user: 'ada',
  expires_at: NOW + 3_600_000,
  packet_digest: 'd'.repeat(64),
}
const split = (token: string) => {
  const [, seconds = '', nonce = '', mac = ''] = token.split('.')
  return { seconds: Number(seconds), nonce, mac }
}

describe('token keys', () => {
  const keys = createTokenKeys({ active: key(1), previous: key(2) })

  test('a minted token has the specified format and is genuine for its claims', () => {
    const token = keys.mint(claims, NOW)
    expect(token).toMatch(/^v1\.1700000000\.[0-9a-f]{16}\.[0-9a-f]{64}$/)
    expect(keys.isGenuine(split(token), claims)).toBe(true)
  })

  test('two tokens minted at the same time differ', () => {
    expect(keys.mint(claims, NOW)).not.toBe(keys.mint(claims, NOW))
  })

  test('the MAC of a known token is fixed, so that a change of the encoding is detected', () => {
    const bytes = tokenBytes({ seconds: 1_700_000_000, nonce: '0'.repeat(16) }, { ...claims, thread: 'é:1' })
    expect(bytes?.toString()).toBe(
      `sluice.approval-token.v22:v110:170000000016:${'0'.repeat(16)}21:auth_0123456789abcdef13:files__delete` +
        `64:${'d'.repeat(64)}64:${'a'.repeat(64)}4:é:13:ada13:170000360012364:${'d'.repeat(64)}`,
    )
  })

  test('only the exact text of a MAC counts, even if hex decoders accept others for the same bytes', () => {
    const token = split(keys.mint(claims, NOW))
    for (const mac of [token.mac.toUpperCase(), `${token.mac}zz`, token.mac.slice(0, 62), ` ${token.mac}`, ''])
      expect(keys.isGenuine({ ...token, mac }, claims)).toBe(false)
  })

  test('the previous key still verifies and a third one does not', () => {
    const old = createTokenKeys({ active: key(2) }).mint(claims, NOW)
    const older = createTokenKeys({ active: key(3) }).mint(claims, NOW)
    expect(keys.isGenuine(split(old), claims)).toBe(true)
    expect(keys.isGenuine(split(older), claims)).toBe(false)
    expect(createTokenKeys({ active: key(1) }).isGenuine(split(old), claims)).toBe(false)
  })

  test('a key of 31 bytes is not accepted in either place', () => {
    expect(() => createTokenKeys({ active: Buffer.alloc(31, 7) })).toThrow(/too short/)
    expect(() => createTokenKeys({ active: key(1), previous: Buffer.alloc(31, 7) })).toThrow(/too short/)
  })

  test('texts that UTF-8 would change are never genuine and never minted', () => {
    const lone = { ...claims, thread: 't\ud800' }
    const replaced = { ...claims, thread: 't\ufffd' }
    const token = split(keys.mint(replaced, NOW))
    expect(keys.isGenuine(token, replaced)).toBe(true)
    expect(keys.isGenuine(token, lone)).toBe(false)
    expect(() => keys.mint(lone, NOW)).toThrow(/UTF-8/)
  })
})

describe('the signed encoding', () => {
  /** Short texts of few characters, so that fields often look like each other's continuation or length. */
  const text = fc.string({ unit: fc.constantFrom('0', '1', '2', ':', 'a', 'é', '.', 'v'), maxLength: 5 })
  const part = fc.record({ seconds: fc.nat({ max: 200 }), nonce: text })
  const anyClaims = fc.record({
    approval_id: text,
    tool_id: text,
    definition_hash: text,
    args_hash: text,
    thread: text,
    user: text,
    expires_at: fc.nat({ max: 200 }),
    packet_digest: text,
  })
  const encode = (signed: readonly [unknown, unknown]) =>
    tokenBytes(signed[0] as Parameters<typeof tokenBytes>[0], signed[1] as TokenClaims)?.toString('hex')
  const fields = (signed: readonly [object, object]) =>
    JSON.stringify([Object.entries(signed[0]), Object.entries(signed[1])])

  test('different fields have different bytes', () => {
    fc.assert(
      fc.property(fc.tuple(part, anyClaims), fc.tuple(part, anyClaims), (one, other) => {
        expect(encode(one) === encode(other)).toBe(fields(one) === fields(other))
      }),
      { numRuns: someRuns(5_000) },
    )
  })

  test('a character moved across the boundary between two fields changes the bytes', () => {
    const names = ['approval_id', 'tool_id', 'definition_hash', 'args_hash', 'thread', 'user'] as const
    fc.assert(
      fc.property(part, anyClaims, fc.nat({ max: names.length - 2 }), (signed, all, index) => {
        const left = names[index] ?? 'approval_id'
        const right = names[index + 1] ?? 'tool_id'
        fc.pre(all[left] !== '')
        const moved = { ...all, [left]: all[left].slice(0, -1), [right]: all[left].slice(-1) + all[right] }
        expect(encode([signed, moved])).not.toBe(encode([signed, all]))
      }),
    )
  })

  test('a parser that knows only the rule gets every field back', () => {
    fc.assert(
      fc.property(part, anyClaims, (signed, all) => {
        let rest = Buffer.from(encode([signed, all]) ?? '', 'hex').subarray('sluice.approval-token.v2'.length)
        const read: string[] = []
        while (rest.length > 0) {
          const colon = rest.indexOf(':')
          const end = colon + 1 + Number(rest.subarray(0, colon).toString())
          read.push(rest.subarray(colon + 1, end).toString())
          rest = rest.subarray(end)
        }
        const { approval_id, tool_id, definition_hash, args_hash, thread, user } = all
        expect(read).toEqual([
          'v1',
          String(signed.seconds),
          signed.nonce,
          approval_id,
          tool_id,
          definition_hash,
          args_hash,
          thread,
          user,
          String(all.expires_at),
          all.packet_digest,
        ])
      }),
    )
  })
})
