/**
 * An agent and an approver, each with their own key, use the typed client: a read runs, a message is held until the approver
 * approves it and is then sent once, a deletion is blocked, and the audit verifies.
 */
import assert from 'node:assert/strict'
// In your own project: from 'sluice/client'.
import { createClient, isProblem } from '../../server/src/client/client.ts'
import { withGate } from '../with-gate.ts'

await withGate(async ({ url, key }) => {
  const agent = createClient({ url, key: key('agent', 'writer') })
  const approver = createClient({ url, key: key('approver', 'ben') })

  const read = await agent.ask('POST /v1/calls', { body: { tool: 'outbox__list_messages' } })
  assert.equal(read.status, 'executed')
  console.log('a read runs')

  const args = { to: 'bob@example.com', subject: 'lunch', body: 'at noon?' }
  const held = await agent.ask('POST /v1/calls', { body: { tool: 'outbox__send_message', args } })
  assert.equal(held.status, 'pending')
  const { approval_id, call_id } = held
  console.log(`a message is held: ${approval_id}`)

  // An approval names the version of the packet that was shown. It is a strong one, so the approver also types the recipient.
  const { digest } = await approver.ask('GET /v1/approvals/{approval_id}', { path: { approval_id } })
  const approval = { path: { approval_id }, body: { decision: 'approve', digest, typed: args.to } } as const
  await assert.rejects(agent.ask('POST /v1/approvals/{approval_id}/decide', approval), (error) =>
    isProblem(error, 'auth.forbidden'),
  )
  console.log('the agent cannot approve it')
  const decided = await approver.ask('POST /v1/approvals/{approval_id}/decide', approval)
  assert.equal(decided.state, 'approved')
  const sent = await agent.ask('GET /v1/calls/{call_id}', { path: { call_id }, query: { wait_ms: 10_000 } })
  assert.equal(sent.status, 'executed')
  console.log('the approver can; the message is sent')

  const id = /msg_[0-9a-f]{12}/.exec(JSON.stringify(sent))?.[0] ?? ''
  const deletion = agent.ask('POST /v1/calls', { body: { tool: 'outbox__delete_message', args: { id } } })
  await assert.rejects(deletion, (error) => isProblem(error, 'call.blocked'))
  console.log('deleting it is blocked')

  assert.equal((await approver.ask('GET /v1/audit/verify')).ok, true)
  console.log('the audit verifies')
})
