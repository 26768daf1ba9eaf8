/**
 * An agent and an approver, each with a key of their own, over plain HTTP: a read runs, a message is held until the approver
 * says yes and is then sent once, a deletion is blocked, and the audit verifies.
 */
import assert from 'node:assert/strict'
import { withGate } from '../with-gate.ts'

await withGate(async (gate) => {
  const as = (who: string) => async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${gate.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${who}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const agent = as(gate.key('agent', 'writer'))
  const approver = as(gate.key('approver', 'ben'))

  const read = await agent('POST', '/v1/calls', { tool: 'outbox__list_messages' })
  assert.equal(read.body['status'], 'executed')
  console.log('a read runs')

  const args = { to: 'bob@example.com', subject: 'lunch', body: 'at noon?' }
  const held = await agent('POST', '/v1/calls', { tool: 'outbox__send_message', args })
  assert.equal(held.status, 202)
  assert.equal(held.body['status'], 'pending')
  console.log(`a message is held: ${String(held.body['approval_id'])}`)

  const request = `/v1/approvals/${String(held.body['approval_id'])}`
  // An approval names the version of the packet that was shown.
  const { digest } = (await approver('GET', request)).body
  assert.equal((await agent('POST', `${request}/decide`, { decision: 'approve', digest })).status, 403)
  console.log('the agent cannot approve it')
  const decided = await approver('POST', `${request}/decide`, { decision: 'approve', digest })
  assert.equal(decided.body['state'], 'approved')
  const sent = await agent('GET', `/v1/calls/${String(held.body['call_id'])}?wait_ms=10000`)
  assert.equal(sent.body['status'], 'executed')
  console.log('the approver can; the message is sent')

  const id = /msg_[0-9a-f]{12}/.exec(JSON.stringify(sent.body))?.[0]
  const deleted = await agent('POST', '/v1/calls', { tool: 'outbox__delete_message', args: { id } })
  assert.equal(deleted.body['code'], 'call.blocked')
  console.log('deleting it is blocked')

  assert.equal((await approver('GET', '/v1/audit/verify')).body['ok'], true)
  console.log('the audit verifies')
})
