import { expect, test } from 'vitest'
import type { Decision } from '../../kernel/contract/approval.ts'
import { ok } from '../../kernel/contract/problems.ts'
import { signReply, type NodeApproval, type SignPorts } from './sign-reply.ts'

const LIVE = 'key_0000000000000001'
const REVOKED = 'key_0000000000000002'
const approval = (user: string, key: typeof LIVE | typeof REVOKED): Decision => ({
  by: `approver:${user}`,
  user,
  says: 'approve',
  how: 'role',
  at: 5,
  keys: [key],
})

/** What the hub signs about an approved request of a node with these decisions. */
async function signed(strength: NodeApproval['strength'], decisions: readonly Decision[]): Promise<unknown> {
  const row = {
    approval_id: 'auth_0000000000000000',
    state: 'approved',
    strength,
    decisions,
    expires_at: 1_000_000,
    from_node: { node: 'n', context: {} },
  } as unknown as NodeApproval
  const held = (id: string) => ({ version: 1, row: { key_id: id, ...(id === REVOKED ? { revoked_at: 7 } : {}) } })
  const reply = await signReply(
    {
      clock: () => 10,
      tables: { row: async (_: string, id: string) => held(id) } as unknown as SignPorts['tables'],
      hubKeys: { sign: async (said: unknown) => ok(JSON.stringify(said)) } as unknown as SignPorts['hubKeys'],
    },
    row,
  )
  return reply.ok ? JSON.parse(reply.value ?? 'null') : reply.problem
}

test('an approval is signed only while enough keys behind it are valid, and names only those', async () => {
  expect(await signed('simple', [approval('ada', LIVE)])).toMatchObject({ says: 'approve' })
  expect(await signed('simple', [approval('ada', REVOKED)])).toMatchObject({
    says: 'expired',
    reason: 'the key of an approver was revoked',
    decisions: [],
  })
  expect(await signed('two_person', [approval('ada', LIVE), approval('bob', REVOKED)])).toMatchObject({
    says: 'expired',
  })
  expect(
    await signed('two_person', [approval('ada', LIVE), approval('bob', REVOKED), approval('cy', LIVE)]),
  ).toMatchObject({ says: 'approve', decisions: [{ user: 'ada' }, { user: 'cy' }] })
})
