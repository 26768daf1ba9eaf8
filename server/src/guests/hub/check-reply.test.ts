import { describe, expect, test } from 'vitest'
import type { HubReply } from './hub.ts'
import { decisionsOf, notForMessage, notForRequest, SKEW_MS } from './check-reply.ts'

const NOW = 1_700_000_000_000
const HASH = (digit: string) => digit.repeat(64)
const word = (more: Partial<HubReply> = {}): HubReply => ({
  v: 1,
  says: 'approve',
  jti: 'auth_1111111111111111 approve',
  iat: NOW / 1_000,
  exp: NOW / 1_000 + 300,
  node: 'edge-1',
  message: 'run_0000000000000001',
  nonce: 'a'.repeat(32),
  approval_id: 'auth_0000000000000001',
  hub_approval_id: 'auth_1111111111111111',
  tool: 's__t',
  definition_hash: HASH('1'),
  args_hash: HASH('2'),
  packet_digest: HASH('3'),
  run: null,
  strength: 'simple',
  decider: 'approver:bob',
  decisions: [{ by: 'approver:bob', user: 'bob', at: NOW }],
  ...more,
})
const SENT = {
  node: 'edge-1',
  message: 'run_0000000000000001',
  nonce: 'a'.repeat(32),
  approval_id: 'auth_0000000000000001',
}
const WAITING = {
  tool_id: 's__t',
  definition_hash: HASH('1'),
  args_hash: HASH('2'),
  packet_digest: HASH('3'),
  run: null,
  strength: 'simple',
} as const

describe('a decision from the hub', () => {
  test('that matches is accepted for this message and this request', () => {
    expect(notForMessage(word(), SENT, NOW)).toBeUndefined()
    expect(notForRequest(word(), WAITING)).toBeUndefined()
  })

  test.each<[string, Partial<HubReply>]>([
    ['another node', { node: 'edge-2' }],
    ['another message', { message: 'run_0000000000000002' }],
    ['another message', { approval_id: 'auth_0000000000000002' }],
    ['another nonce', { nonce: 'b'.repeat(32) }],
    ['signed in the future', { iat: (NOW + SKEW_MS) / 1_000 + 1 }],
    ['too old', { exp: NOW / 1_000 }],
  ])('is rejected for %s', (why, more) => {
    expect(notForMessage(word(more), SENT, NOW)).toBe(why)
  })

  test.each<[string, Partial<HubReply>]>([
    ['another tool', { tool: 's__other' }],
    ['another definition of the tool', { definition_hash: HASH('9') }],
    ['other arguments', { args_hash: HASH('9') }],
    ['an older version of the request', { packet_digest: HASH('9') }],
    ['another run', { run: 'run_0000000000000009' }],
    ['too few people', { decisions: [] }],
  ])('approves nothing for %s', (why, more) => {
    expect(notForRequest(word(more), WAITING)).toBe(why)
  })

  test('about a weaker request does not approve a stronger one, and one person is not two', () => {
    const strong = { ...WAITING, strength: 'two_person' } as const
    expect(notForRequest(word(), strong)).toBe('a weaker request')
    const bob = { by: 'approver:bob', user: 'bob', at: NOW }
    expect(notForRequest(word({ strength: 'two_person', decisions: [bob, bob] }), strong)).toBe('too few people')
    const eve = { by: 'approver:eve', user: 'eve', at: NOW }
    expect(notForRequest(word({ strength: 'two_person', decisions: [bob, eve] }), strong)).toBeUndefined()
  })

  test('by two people counts as denied if the last one denied it', () => {
    const said = decisionsOf(
      word({
        says: 'deny',
        reason: 'no',
        decisions: [
          { by: 'approver:bob', user: 'bob', at: 1 },
          { by: 'approver:eve', user: 'eve', at: 2 },
        ],
      }),
    )
    expect(said.map(({ user, says, how, reason }) => [user, says, how, reason])).toEqual([
      ['bob', 'approve', 'hub', undefined],
      ['eve', 'deny', 'hub', 'no'],
    ])
  })
})
