import { expect, test } from 'vitest'
import { startGate } from '../../../../test/helpers/with-running-gate.ts'

test('a denial`s reason reaches the person whose flow it ends', async () => {
  const gate = await startGate()
  try {
    const [user, approver] = [await gate.key('user', 'ana', 'ana'), await gate.key('approver', 'bob', 'bob')]
    const body = { user_prompt: 'note', query: 'note', args: { text: '4' }, skill_id: 'book__note' }
    const asked = JSON.stringify((await gate.http('POST', '/v1/toolflow', user, body)).body)
    const [approval] = /auth_[0-9a-f]{16}/.exec(asked) ?? []
    const [run_id] = /run_[0-9a-f]{16}/.exec(asked) ?? []
    const decision = { decision: 'deny', reason: 'use the other book' }
    expect((await gate.http('POST', `/v1/approvals/${approval}/decide`, approver, decision)).status).toBe(200)
    const ended = await gate.http('GET', `/v1/toolflow/${run_id}?wait_ms=60000`, approver)
    expect(JSON.stringify(ended.body)).toContain(decision.reason)
  } finally {
    await gate.stop()
  }
})
