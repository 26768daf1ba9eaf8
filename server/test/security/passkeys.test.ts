import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { softwarePasskey, type Site } from './software-passkey.ts'
import { typedFor } from '../helpers/with-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
const keys = { mara: '', priya: '', agent: '' }
let site: Site
let mara: ReturnType<typeof softwarePasskey>
let priya: ReturnType<typeof softwarePasskey>

const send = async (method: string, path: string, key: string, body?: object) => {
  const answer = await fetch(`${site.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const challengeAt = async (path: string, key: string, body?: object) =>
  String((await send('POST', path, key, body)).body['challenge'])

async function add(passkey: ReturnType<typeof softwarePasskey>, key: string, more: object = {}) {
  const challenge = await challengeAt('/v1/passkeys/options', key)
  return send('POST', '/v1/passkeys', key, { name: 'phone', response: passkey.register(challenge), ...more })
}

/** A request that wants a strong approval, as its approver read it. */
async function strongRequest(text: string) {
  const held = await send('POST', '/v1/calls', keys.agent, { tool: 'book__note', args: { text: `${text} ${SECRET}` } })
  const id = String(held.body['approval_id'])
  const { body } = await send('GET', `/v1/approvals/${id}`, keys.mara)
  expect(body['strength']).not.toBe('simple')
  return { id, digest: String(body['digest']), typed: typedFor(body as Parameters<typeof typedFor>[0]) }
}
/** What redaction hides makes a request strong. */
const SECRET = 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'

type Request = Awaited<ReturnType<typeof strongRequest>>
const approvalChallenge = ({ id, digest }: Request, key = keys.mara) =>
  challengeAt(`/v1/approvals/${id}/passkey`, key, { digest })
const approve = ({ id, digest, typed }: Request, passkey: object | undefined, key = keys.mara) =>
  send('POST', `/v1/approvals/${id}/decide`, key, { decision: 'approve', digest, typed, ...(passkey && { passkey }) })

beforeAll(async () => {
  gate = await startGate()
  site = { origin: `http://localhost:${new URL(gate.url).port}`, host: 'localhost' }
  keys.mara = await gate.key('approver', 'mara')
  keys.priya = await gate.key('approver', 'priya')
  keys.agent = await gate.key('agent', 'bot', 'jonas')
  mara = softwarePasskey(site)
  priya = softwarePasskey(site)
  expect((await add(mara, keys.mara)).status).toBe(200)
  expect((await add(priya, keys.priya)).status).toBe(200)
})
afterAll(() => gate.stop())

const REFUSED = { status: 403, body: { code: 'passkey.not_genuine' } }

describe('a passkey', () => {
  test('approves exactly the request and the packet it was asked for', async () => {
    const request = await strongRequest('yes')
    const done = await approve(request, mara.assert(await approvalChallenge(request)))
    expect(done).toMatchObject({ status: 200, body: { state: 'approved', decisions: [{ passkey: mara.id }] } })
    const me = await send('GET', '/v1/login', keys.mara)
    expect(me.body['proofs']).toMatchObject({ passkeys: 1 })
  })

  test('is required once it exists: the key alone neither approves nor sets a passphrase', async () => {
    const request = await strongRequest('alone')
    expect(await approve(request, undefined)).toMatchObject({ status: 403, body: { code: 'approval.passkey_needed' } })
    const set = await send('POST', '/v1/passphrase', keys.mara, { passphrase: 'a thief chose this one' })
    expect(set).toMatchObject({ status: 403, body: { code: 'approval.passkey_needed' } })
    const terms = { actor: 'caller:agent:bot', what: { tool: 'book__note', args: [] }, calls: 1, expires_in_s: 60 }
    expect(await send('POST', '/v1/consents', keys.mara, terms)).toMatchObject({
      body: { code: 'approval.passkey_needed' },
    })
  })

  test('cannot be used a second time', async () => {
    const [one, two] = [await strongRequest('one'), await strongRequest('two')]
    const assertion = mara.assert(await approvalChallenge(one))
    expect((await approve(one, assertion)).status).toBe(200)
    expect(await approve(one, assertion)).toMatchObject({ status: 409 })
    expect(await approve(two, assertion)).toMatchObject(REFUSED)
  })

  test('is for no other request, no other digest, no other person and no other question', async () => {
    const [one, two] = [await strongRequest('three'), await strongRequest('four')]
    const answers = {
      'the challenge of another request': mara.assert(await approvalChallenge(two)),
      'the challenge of another packet': mara.assert(await approvalChallenge({ ...one, digest: 'f'.repeat(64) })),
      'the challenge of another person': mara.assert(await approvalChallenge(one, keys.priya)),
      'the passkey of another person': priya.assert(await approvalChallenge(one)),
      'the challenge for adding one': mara.assert(await challengeAt('/v1/passkeys/proof', keys.mara)),
      'a challenge of nobody': mara.assert(Buffer.alloc(56, 7).toString('base64url')),
      'a challenge that was cut': mara.assert((await approvalChallenge(one)).slice(0, 40)),
    }
    for (const [name, answer] of Object.entries(answers))
      expect([name, await approve(one, answer)]).toMatchObject([name, REFUSED])
  })

  test('is checked: signature, page, person and counter', async () => {
    const request = await strongRequest('five')
    const fresh = () => approvalChallenge(request)
    const quirks = {
      'signed by another key': mara.assert(await fresh(), { key: priya.privateKey }),
      'signed on another page': mara.assert(await fresh(), { origin: 'https://evil.example' }),
      'on another port': mara.assert(await fresh(), { origin: 'http://localhost:1' }),
      'nobody was verified': mara.assert(await fresh(), { flags: 0x01 }),
      'a copy that counts slower': mara.assert(await fresh(), { counter: 1 }),
    }
    for (const [name, answer] of Object.entries(quirks))
      expect([name, await approve(request, answer)]).toMatchObject([name, REFUSED])
    expect((await approve(request, mara.assert(await fresh()))).status).toBe(200)
  })

  test('another one can be added only with an existing one, and only for oneself', async () => {
    const second = softwarePasskey(site)
    expect(await add(second, keys.mara)).toMatchObject({ body: { code: 'approval.passkey_needed' } })
    const wrong = priya.assert(await challengeAt('/v1/passkeys/proof', keys.mara))
    expect(await add(second, keys.mara, { passkey: wrong })).toMatchObject(REFUSED)
    const proof = mara.assert(await challengeAt('/v1/passkeys/proof', keys.mara))
    expect((await add(second, keys.mara, { passkey: proof })).status).toBe(200)
    const foreign = await challengeAt('/v1/passkeys/options', keys.priya)
    const again = mara.assert(await challengeAt('/v1/passkeys/proof', keys.mara))
    const body = { name: 'x', response: softwarePasskey(site).register(foreign), passkey: again }
    expect(await send('POST', '/v1/passkeys', keys.mara, body)).toMatchObject(REFUSED)
  })

  test('is removed by another admin, never by a key of its own person', async () => {
    const admin = await gate.key('admin', 'root', 'root')
    const own = await gate.key('admin', 'priya-admin', 'priya')
    expect((await send('DELETE', `/v1/passkeys/${priya.id}`, own)).status).toBe(403)
    expect((await send('DELETE', `/v1/passkeys/${priya.id}`, keys.priya)).status).toBe(403)
    const request = await strongRequest('six')
    expect((await send('DELETE', `/v1/passkeys/${priya.id}`, admin)).status).toBe(200)
    expect(
      await send('POST', `/v1/approvals/${request.id}/passkey`, keys.priya, { digest: request.digest }),
    ).toMatchObject({
      status: 404,
      body: { code: 'passkey.none' },
    })
  })
})
