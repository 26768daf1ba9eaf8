import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configure, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { startIssuer, type Issuer } from '../../../console/test/issuer.ts'
import { logInAs } from '../../src/guests/server-logins/test/person.suite.ts'
import { localIssuer, type LocalIssuer } from './local-issuer.ts'

const API = 'urn:example:sluice'
const BACK = 'http://127.0.0.1:9/back'
const SECRET = 'the secret of every client here'

let issuer: LocalIssuer
let provider: Issuer
let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  issuer = await localIssuer()
  const client = (client_id: string) => ({ client_id, client_secret: SECRET, redirect_uri: BACK })
  provider = await startIssuer(() => [client('sluice-cli'), client('cursor')], API)
  const kinds = [
    { claim: 'role', has: 'bot', kind: 'agent' },
    { claim: 'role', has: 'lead', kind: 'approver' },
  ]
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    const people_clients = ['sluice-cli']
    const oidc = [
      { name: 'corp', issuer: issuer.url, audience: 'sluice', people_clients, kinds },
      {
        name: 'real',
        issuer: provider.url,
        audience: API,
        people_clients,
        kinds: [{ claim: 'groups', has: 'approvers', kind: 'approver' }],
      },
    ]
    writeFileSync(file, JSON.stringify({ ...config, auth: { oidc } }))
  })
})
afterAll(async () => {
  await gate.stop()
  await Promise.all([issuer.close(), provider.stop()])
})

const token = (claims: object) =>
  issuer.sign({ iss: issuer.url, aud: 'sluice', exp: Math.floor(Date.now() / 1000) + 60, sub: 'ana', ...claims })
const sendRaw = (bearer: string, message: object = { method: 'tools/list' }) =>
  fetch(`${gate.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
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
  const lead = await token({ role: 'lead', sub: 'ben', azp: 'sluice-cli' })
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
  expect(await (await fetch(metadata ?? '')).json()).toMatchObject({
    authorization_servers: [issuer.url, provider.url],
  })
  expect(((await answer.json()) as { code: string }).code).toMatch(/^auth\./)
  expect(await gate.http('GET', '/v1/tools', bad)).toMatchObject({ status: 401 })
})

test('a valid token whose claims map to no kind of caller gives no access', async () => {
  const guest = await token({ role: 'guest' })
  expect((await sendRaw(guest)).status).toBe(403)
  expect(await gate.http('GET', '/v1/tools', guest)).toMatchObject({ status: 403 })
})

describe('a real provider', () => {
  const verifier = randomBytes(32).toString('base64url')

  async function tokensOf(client_id: string, form: Record<string, string>): Promise<Record<string, string>> {
    const answer = await fetch(`${provider.url}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${client_id}:${encodeURIComponent(SECRET)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ resource: API, ...form }),
    })
    return (await answer.json()) as Record<string, string>
  }

  /** Logs a person in with a client, as that client's program does. */
  async function tokensFor(person: string, client_id: string): Promise<Record<string, string>> {
    const asked = new URL(`${provider.url}/auth`)
    asked.search = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: BACK,
      scope: 'openid call',
      resource: API,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    const ended = await logInAs(person, asked.href, ({ href }) => href.startsWith(BACK))
    const code = new URL(ended.url).searchParams.get('code') ?? ''
    return tokensOf(client_id, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: BACK,
      code_verifier: verifier,
    })
  }

  const held = async () => {
    const bot = await token({ role: 'bot' })
    const call = await gate.http('POST', '/v1/calls', bot, { tool: 'book__note', args: { text: randomUUID() } })
    return String(call.body['approval_id'])
  }

  test('the token of a listed client decides, and the same person`s token of another client does not', async () => {
    const mine = await tokensFor('ana.approvers', 'sluice-cli')
    const approval = await held()
    const theirs = await tokensFor('ana.approvers', 'cursor')
    const decide = { decision: 'approve', digest: 'a'.repeat(64) }
    expect(await gate.http('POST', `/v1/approvals/${approval}/decide`, theirs['access_token'], decide)).toMatchObject({
      status: 403,
      body: { code: 'auth.forbidden' },
    })
    expect(await gate.approve(approval, mine['access_token'] ?? '')).toMatchObject({
      body: { decisions: [{ by: 'approver:real/ana.approvers' }] },
    })
  })

  test('an ID token and the token of a client without a person decide nothing', async () => {
    const { id_token = '' } = await tokensFor('ana.approvers', 'sluice-cli')
    expect(await gate.http('GET', '/v1/tools', id_token)).toMatchObject({ status: 401 })
    const { access_token = '' } = await tokensOf('sluice-cli', { grant_type: 'client_credentials' })
    expect(await gate.http('GET', '/v1/keys', access_token)).toMatchObject({ status: 403 })
    expect(await gate.http('POST', '/v1/consents', access_token, {})).toMatchObject({
      status: 403,
      body: { code: 'auth.forbidden' },
    })
  })
})

describe('what arrives at the MCP door', () => {
  test('has the kind of an agent, whoever the credential belongs to', async () => {
    const root = await gate.key('admin', 'root')
    const lead = await token({ role: 'lead', sub: 'gil', azp: 'sluice-cli' })
    for (const [credential, id, user] of [
      [await gate.key('approver', 'dora'), 'approver:dora', 'dora'],
      [await gate.key('admin', 'emil'), 'admin:emil', 'emil'],
      [await gate.key('user', 'fay'), 'user:fay', 'fay'],
      [await gate.key('reviewer', 'hal'), 'reviewer:hal', 'hal'],
      [lead, 'approver:corp/gil', 'gil'],
    ] as const) {
      const answer = await sendRaw(credential, {
        method: 'tools/call',
        params: { name: 'book__note', arguments: { text: id } },
      })
      expect(answer.status).toBe(200)
      const calls = await gate.http('GET', '/v1/calls?limit=1', root)
      expect(calls.body['items']).toMatchObject([{ asked_by: { kind: 'agent', id, user } }])
    }
  })
})
