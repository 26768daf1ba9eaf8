import { expect } from 'vitest'
import { NodePacket } from '../../server/src/guests/hub/hub.ts'
import type { OfficeGate } from './office-gate.ts'

const HASH = (digit: string) => digit.repeat(64)

/**
 * A node with its own key that asks about one of its calls. `shown`: a request of this gate, used as the content of the node's
 * request.
 */
export async function askAsNode(gate: OfficeGate, name: string, shown: string, context: object = {}): Promise<void> {
  const key = await gate.key('node', name)
  const { body } = await gate.http('GET', `/v1/approvals/${shown}`, gate.keys.admin)
  const request = {
    is: 'request',
    message: 'run_0000000000000001',
    nonce: 'a'.repeat(32),
    approval_id: 'auth_0000000000000001',
    tool: 'chat__post',
    definition_hash: HASH('1'),
    args_hash: HASH('2'),
    trace: 'a'.repeat(32),
    packet_digest: HASH('3'),
    expires_at: Date.now() + 3_600_000,
    context: {
      caller: 'agent:writer',
      user: 'ana',
      thread: 't1',
      document: 'kairo@3',
      step: '2',
      run: 'run_1',
      ...context,
    },
    packet: NodePacket.parse(body),
  }
  const answer = await gate.http('POST', '/v1/hub/requests', key, request)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
}
