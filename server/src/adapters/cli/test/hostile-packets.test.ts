import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ESCAPES, FORGED_LINES, HIDDEN_PAYLOADS, looksOurs, threadOf } from '../../../../test/hostile-texts.ts'
import { configure, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let user = ''
let approver = ''
beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as { servers: { book: { tools: Record<string, object> } } }
    // Secrets are asked about here, so that there is a packet to look at.
    const { tools } = config.servers.book
    tools['slow_note'] = { ...tools['slow_note'], content: { secrets: 'ask' } }
    writeFileSync(file, JSON.stringify(config))
  })
  agent = await gate.key('agent', 'a', 'ana')
  user = await gate.key('user', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(() => gate.stop())

const hold = async (args: object, thread = 't1') =>
  String((await gate.http('POST', '/v1/calls', agent, { tool: 'book__slow_note', args, thread })).body['approval_id'])

/** What tools answer is printed in hostile-listings.test.ts. */
test('at the command line no argument and no thread can imitate a line of ours', async () => {
  for (const { name, text } of [...FORGED_LINES, ...ESCAPES]) {
    expect(await hold({ text }, threadOf(text)), name).toMatch(/^auth_/)
  }
  const { out, code } = await gate.cli('approvals')
  expect(code).toBe(0)
  expect(looksOurs(out)).toBeUndefined()
  expect(out.match(/^auth_[0-9a-f]{16} {2}book__slow_note/gm)).toHaveLength(FORGED_LINES.length + ESCAPES.length)
}, 120_000)

test('hidden text is announced, and revealed only to an approver', async () => {
  const [{ text } = { text: '' }] = HIDDEN_PAYLOADS
  const id = await hold({ text })
  expect(id).toMatch(/^auth_/)
  const { out } = await gate.cli('approvals', 'show', id)
  expect(out).not.toContain('DROP TABLE')
  expect(out).toMatch(/hidden: \d+ characters in proposed_args `\/text`/)
  for (const key of [agent, user])
    expect(await gate.http('POST', `/v1/approvals/${id}/reveal`, key)).toMatchObject({ status: 403 })
  expect((await gate.cli('approvals', 'show', id, '--reveal')).out).toContain('DROP TABLE')
  expect((await gate.cli('audit', 'export')).out).toContain('"type":"approval.revealed"')
})

test('an approval over HTTP names its packet, and one of another packet is refused', async () => {
  const id = await hold({ text: 'one' })
  const path = `/v1/approvals/${id}/decide`
  expect(await gate.http('POST', path, approver, { decision: 'approve' })).toMatchObject({
    status: 400,
    body: { code: 'request.invalid' },
  })
  const other = { decision: 'approve', digest: '0'.repeat(64) }
  expect(await gate.http('POST', path, approver, other)).toMatchObject({
    status: 409,
    body: { code: 'approval.changed' },
  })
  const shown = await gate.cli('approve', id, '--digest', '0'.repeat(64))
  expect([shown.code, shown.err]).toEqual([1, expect.stringContaining('approval.changed')])
  expect((await gate.approve(id, approver)).status).toBe(200)
})
