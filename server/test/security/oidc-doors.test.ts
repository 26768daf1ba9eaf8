import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configure, startGate, type RunningGate } from '../doors/with-running-gate.ts'
import { localIssuer, type LocalIssuer } from './local-issuer.ts'

let issuer: LocalIssuer
let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  issuer = await localIssuer()
  const kinds = [
    { claim: 'role', has: 'bot', kind: 'agent' },
    { claim: 'role', has: 'lead', kind: 'approver' },
  ]
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    const oidc = [{ name: 'corp', issuer: issuer.url, audience: 'sluice', kinds }]
    writeFileSync(file, JSON.stringify({ ...config, auth: { oidc } }))
  })
})
afterAll(async () => {
  await gate.stop()
  await issuer.close()
})

const token = (claims: object) =>
  issuer.sign({ iss: issuer.url, aud: 'sluice', exp: Math.floor(Date.now() / 1000) + 60, sub: 'ana', ...claims })
const sendRaw = (bearer: string) =>
  fetch(`${gate.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })

test('a token gives access to the HTTP door and the MCP door with its own role, and no other', async () => {
  const bot = await token({ role: 'bot' })
  const held = await gate.http('POST', '/v1/calls', bot, { tool: 'book__note', args: { text: 'x' } })
  expect(held).toMatchObject({ status: 202, body: { status: 'pending' } })
  const decide = `/v1/approvals/${String(held.body['approval_id'])}/decide`
  expect(await gate.http('POST', decide, bot, { decision: 'approve', digest: 'a'.repeat(64) })).toMatchObject({
    status: 403,
    body: { code: 'auth.forbidden' },
  })
  const lead = await token({ role: 'lead', sub: 'ben' })
  expect(await gate.approve(held.body['approval_id'], lead)).toMatchObject({
    body: { decisions: [{ by: 'approver:corp/ben' }] },
  })
  expect((await sendRaw(bot)).status).toBe(200)
})

test.each([
  ['for another audience', { aud: 'somebody-else' }],
  ['without an audience', { aud: undefined }],
  ['of another issuer', { iss: 'https://elsewhere.example' }],
  ['that has expired', { exp: 1 }],
])('a token %s is rejected at both doors, with the address of the issuer', async (_, claims) => {
  const bad = await token({ role: 'bot', ...claims })
  const answer = await sendRaw(bad)
  expect(answer.status).toBe(401)
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? []
  expect(await (await fetch(metadata ?? '')).json()).toMatchObject({ authorization_servers: [issuer.url] })
  expect(((await answer.json()) as { code: string }).code).toMatch(/^auth\./)
  expect(await gate.http('GET', '/v1/tools', bad)).toMatchObject({ status: 401 })
})

test('a valid token whose claims map to no kind of caller gives no access', async () => {
  const guest = await token({ role: 'guest' })
  expect((await sendRaw(guest)).status).toBe(403)
  expect(await gate.http('GET', '/v1/tools', guest)).toMatchObject({ status: 403 })
})
