/**
 * An agent and an approver, each with a key of their own, over plain HTTP: a read runs, a message is held until the approver
 * says yes and is then sent once, a deletion is blocked, and the audit verifies. Starts a gate of its own and stops it.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'sluice-example-'))
writeFileSync(
  join(folder, 'sluice.yaml'),
  `
listen: { port: 0 }
policy:
  rules:
    - { id: no-deleting, effect: block, match: { tool: outbox__delete_message }, says: messages are kept }
servers:
  outbox:
    command: node
    args: [${JSON.stringify(join(root, 'server/src/demo/outbox.ts'))}, ./outbox]
    tools:
      list_messages: { effects: [read] }
      send_message: { effects: [external] }
      delete_message: { effects: [destructive] }
`,
)

const launcher = join(root, 'bin/sluice')
const gate = spawn(process.execPath, [launcher, 'up'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
try {
  const [greeting] = (await once(createInterface({ input: gate.stdout }), 'line')) as [string]
  const url = /http:\S+?(?=,)/.exec(greeting)?.[0]
  const key = (kind: string, name: string) =>
    execFileSync(process.execPath, [launcher, 'keys', 'create', kind, name], { cwd: folder, encoding: 'utf8' }).trim()
  const as = (who: string) => async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${who}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const agent = as(key('agent', 'writer'))
  const approver = as(key('approver', 'ana'))

  const read = await agent('POST', '/v1/calls', { tool: 'outbox__list_messages' })
  assert.equal(read.body['status'], 'executed')
  console.log('a read runs')

  const args = { to: 'bob@example.com', subject: 'lunch', body: 'at noon?' }
  const held = await agent('POST', '/v1/calls', { tool: 'outbox__send_message', args })
  assert.equal(held.status, 202)
  assert.equal(held.body['status'], 'pending')
  console.log(`a message is held: ${String(held.body['approval_id'])}`)

  const decide = `/v1/approvals/${String(held.body['approval_id'])}/decide`
  assert.equal((await agent('POST', decide, { decision: 'approve' })).status, 403)
  console.log('the agent cannot approve it')
  assert.equal((await approver('POST', decide, { decision: 'approve' })).body['state'], 'approved')
  const sent = await agent('GET', `/v1/calls/${String(held.body['call_id'])}?wait_ms=10000`)
  assert.equal(sent.body['status'], 'executed')
  console.log('the approver can; the message is sent')

  const id = /msg_[0-9a-f]{12}/.exec(JSON.stringify(sent.body))?.[0]
  const deleted = await agent('POST', '/v1/calls', { tool: 'outbox__delete_message', args: { id } })
  assert.equal(deleted.body['code'], 'tool.unknown')
  console.log('deleting is no tool the agent knows of')

  assert.equal((await approver('GET', '/v1/audit/verify')).body['ok'], true)
  console.log('the audit verifies')
} finally {
  gate.kill()
  await once(gate, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
