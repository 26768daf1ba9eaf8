import { afterAll, beforeAll, expect, test } from 'vitest'
import { rpc } from '../../../../test/helpers/send-raw.ts'
import { run, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

/** Why a call was held or denied, as the agent reads it at each door. */
let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let approver = ''
beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
  approver = await gate.key('approver', 'bob', 'bob')
})
afterAll(() => gate.stop())

const REASON = 'use the other book'
const idsIn = (text: string) => ({
  approval: /auth_[0-9a-f]{16}/.exec(text)?.[0] ?? '',
  call: /call_[0-9a-f]{24}/.exec(text)?.[0] ?? '',
})
async function deny(text: string) {
  const ids = idsIn(text)
  const decided = await gate.http('POST', `/v1/approvals/${ids.approval}/decide`, approver, {
    decision: 'deny',
    reason: REASON,
  })
  expect(decided.status).toBe(200)
  return ids
}
const mcp = (name: string, args: object) =>
  gate.http('POST', '/mcp?surface=search', agent, rpc('tools/call', { name, arguments: args }))

/** A model may see only this part of an answer. */
const textIn = ({ body }: Awaited<ReturnType<typeof mcp>>): unknown =>
  (body['result'] as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text

test('a mistyped tool id is answered with the one that was probably meant, in the text', async () => {
  const mistyped = await mcp('execute_skill_proxy', { skill_id: 'book__nte', args: { text: 'x' } })
  expect(textIn(mistyped)).toContain('no tool has this id [tool.unknown]; did you mean `book__note`?')
})

test('a denial`s reason reaches the agent over HTTP, MCP and the command line', async () => {
  const http = JSON.stringify(
    (await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: '1' } })).body,
  )
  const byHttp = await gate.http('GET', `/v1/calls/${(await deny(http)).call}`, agent)
  expect(JSON.stringify(byHttp.body)).toContain(REASON)
  // The same call again in that session is refused with the same reason.
  const again = await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: '1' } })
  expect(JSON.stringify(again.body)).toContain(REASON)

  const held = JSON.stringify((await mcp('execute_skill_proxy', { skill_id: 'book__note', args: { text: '2' } })).body)
  const status = await mcp('call_status', { call_id: (await deny(held)).call })
  expect(JSON.stringify(status.body)).toContain(REASON)

  const env = { SLUICE_KEY: agent, SLUICE_URL: gate.url }
  const typed = await run(gate.folder, ['call', 'book__note', '{"text":"3"}'], undefined, { env })
  const shown = await run(gate.folder, ['status', (await deny(typed.out)).call], undefined, { env })
  expect(`${shown.out}${shown.err}`).toContain(REASON)

  const user = await gate.key('user', 'ana-herself', 'ana')
  const byToken = await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: '5' }, thread: 't5' })
  const ids = idsIn(JSON.stringify(byToken.body))
  const { body } = await gate.http('POST', `/v1/approvals/${ids.approval}/token`, user)
  const words = ['redeem', ids.approval, String(body['token']), '--session', 't5', '--deny', '--reason', REASON]
  const denied = await run(gate.folder, words, undefined, { env: { SLUICE_KEY: user, SLUICE_URL: gate.url } })
  expect(denied).toMatchObject({ code: 0 })
  const read = await gate.http('GET', `/v1/calls/${ids.call}`, agent)
  expect(JSON.stringify(read.body)).toContain(REASON)
})

test('a held call names what it does, and the consent that did not cover it', async () => {
  const terms = {
    actor: 'caller:agent:a',
    what: { tool: 'book__note', args: [{ path: '/text', op: 'equals', value: 'hi' }] },
    calls: 1,
    expires_in_s: 60,
  }
  const minted = await gate.http('POST', '/v1/consents', approver, terms)
  const held = await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'other' } })
  const text = JSON.stringify(held.body)
  expect(text).toContain('it changes a note, so a person decides')
  expect(text).toContain(
    `the consent ${String(minted.body['consent_id'])} does not cover this call: it does not permit what is in \`/text\``,
  )
  const overMcp = await mcp('execute_skill_proxy', { skill_id: 'book__note', args: { text: 'another' } })
  expect(textIn(overMcp)).toMatch(
    / Why: it changes a note, .*; the consent \S+ does not cover this call: .*\. A person can/,
  )
  const { body } = await gate.http('GET', `/v1/approvals/${idsIn(text).approval}`, approver)
  expect(body['why_this']).toContain('it changes a note')
  expect(JSON.stringify(body['risk_notes'])).toContain('does not cover this call')
  const covered = await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'hi' } })
  expect(covered.body['status']).toBe('executed')
  const wiped = await gate.http('POST', '/v1/calls', agent, { tool: 'book__slow_note', args: { text: 'x' } })
  expect(JSON.stringify(wiped.body)).toContain(
    'it reaches other people or the network, so a person must confirm it explicitly',
  )
})

test('the card of a tool names the effect of that tool over HTTP, MCP and the command line', async () => {
  const asked = 'held (simple): it changes a note, so a person decides'
  const { body } = await gate.http('GET', '/v1/tools/book__note', agent)
  expect(body['asked']).toContain(asked)
  expect(textIn(await mcp('get_skill_card', { skill_id: 'book__note' }))).toContain(asked)
  const env = { SLUICE_KEY: agent, SLUICE_URL: gate.url }
  expect((await run(gate.folder, ['card', 'book__note'], undefined, { env })).out).toContain(`\n  ${asked}`)
})
