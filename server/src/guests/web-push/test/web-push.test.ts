import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWebPush } from '../web-push.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
const keys = { mara: '', priya: '', agent: '' }
beforeAll(async () => {
  gate = await startGate()
  keys.mara = await gate.key('approver', 'mara')
  keys.priya = await gate.key('approver', 'priya')
  keys.agent = await gate.key('agent', 'bot', 'mara')
})
afterAll(() => gate.stop())

function browser(endpoint = `https://fcm.googleapis.com/fcm/send/${randomBytes(8).toString('hex')}`) {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const auth = randomBytes(16).toString('base64url')
  return { endpoint, keys: { p256dh: point.toString('base64url'), auth }, name: 'phone' }
}
const subscribe = (body: object, key = keys.mara) => gate.http('POST', '/v1/push', key, body)
const mine = async (key = keys.mara) => (await gate.http('GET', '/v1/push', key)).body

describe('a browser that is notified of new requests', () => {
  test('is subscribed, listed and removed by its own person only', async () => {
    const made = await subscribe(browser())
    expect(made).toMatchObject({ status: 200, body: { host: 'fcm.googleapis.com', name: 'phone' } })
    const id = String(made.body['push_id'])
    expect(await mine()).toMatchObject({ public_key: expect.stringMatching(/^[\w-]{87}$/), items: [{ push_id: id }] })
    expect((await mine(keys.priya))['items']).toEqual([])
    expect((await gate.http('DELETE', `/v1/push/${id}`, keys.priya)).status).toBe(404)
    expect((await gate.http('DELETE', `/v1/push/${id}`, keys.mara)).status).toBe(200)
    expect((await mine())['items']).toEqual([])
    expect(JSON.stringify(await mine())).not.toContain('fcm/send')
  })

  test('an agent cannot subscribe', async () => {
    expect((await subscribe(browser(), keys.agent)).status).toBe(403)
  })

  test.each([
    'http://fcm.googleapis.com/x',
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://evil.example/fcm.googleapis.com',
    'https://fcm.googleapis.com@evil.example/x',
    'https://evilpush.services.mozilla.com.example/x',
    'https://fcm.googleapis.com:8443/x',
    'https://evilnotify.windows.com/x',
    'file:///etc/passwd',
  ])('nothing is ever posted to %s', async (endpoint) => {
    expect((await subscribe(browser(endpoint))).status).toBe(400)
  })

  test('invalid keys are rejected', async () => {
    const good = browser()
    const point = Buffer.alloc(65, 1).toString('base64url')
    expect((await subscribe({ ...good, keys: { ...good.keys, p256dh: point } })).status).toBe(400)
    expect((await subscribe({ ...good, keys: { ...good.keys, auth: 'short' } })).status).toBe(400)
    expect((await subscribe({ ...good, more: 1 })).status).toBe(400)
  })
})

test('a message is encrypted, signed and sent once; a subscription that no longer exists is removed', async () => {
  const sent: { url: string; headers: Readonly<Record<string, string>>; body: Buffer }[] = []
  let status = 201
  const post = async (url: string, headers: Readonly<Record<string, string>>, body: Buffer) => {
    sent.push({ url, headers, body })
    return status
  }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-push-'))
  const push = openWebPush(folder, { post, clock: () => 0, subject: 'mailto:a@b.example', services: [] })
  const { endpoint, keys: own } = browser()
  const payload = {
    title: 'A call is waiting for your decision',
    body: 'Send an e-mail to …',
    url: 'http://localhost/#/approvals/x',
  }
  expect(await push.send({ endpoint, ...own }, payload)).toBe('sent')
  expect(sent[0]?.url).toBe(endpoint)
  expect(sent[0]?.headers).toMatchObject({ 'content-encoding': 'aes128gcm' })
  expect(sent[0]?.body.toString('latin1')).not.toContain('waits')
  for (const gone of [404, 410]) {
    status = gone
    expect(await push.send({ endpoint, ...own }, payload)).toBe('gone')
  }
  status = 302
  expect(await push.send({ endpoint, ...own }, payload)).toBe('failed')
  const again = openWebPush(folder, { post, clock: () => 0, subject: 'mailto:a@b.example', services: [] })
  expect(again.publicKey()).toEqual(push.publicKey())
})
