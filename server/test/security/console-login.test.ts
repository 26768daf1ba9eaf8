import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate } from '../helpers/with-running-gate.ts'

let gate: Awaited<ReturnType<typeof startGate>>
let admin = ''
beforeAll(async () => {
  gate = await startGate()
  admin = await gate.key('admin', 'root', 'mara')
})
afterAll(() => gate.stop())

type Headers = Readonly<Record<string, string>>
const send = async (method: string, path: string, headers: Headers = {}, body?: object) => {
  const answer = await fetch(`${gate.url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const said = (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>
  return { status: answer.status, body: said, cookie: answer.headers.get('set-cookie') ?? '' }
}
const pause = (headers: Headers) => send('POST', '/v1/pauses', headers, { scope: 'tool:book__wipe', reason: 'test' })

async function logIn(key = admin) {
  const said = await send('POST', '/v1/login', {}, { key })
  const cookie = said.cookie.split(';')[0] ?? ''
  return { ...said, cookie: said.cookie, headers: { cookie }, csrf: String(said.body['csrf']) }
}

describe('a login of the console', () => {
  test('accepts a key and answers with a cookie that no script and no other site can use', async () => {
    const { status, body, cookie } = await logIn()
    expect(status).toBe(200)
    const port = new URL(gate.url).port
    expect(cookie).toMatch(
      new RegExp(`^sluice_login_${port}=sluice_admin_[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200$`),
    )
    expect(body).toMatchObject({ caller: { kind: 'admin', id: 'admin:root', user: 'mara' }, how: 'key' })
    expect(JSON.stringify(body)).not.toContain(admin)
  })

  test('reads with the cookie alone', async () => {
    const { headers, csrf } = await logIn()
    const me = await send('GET', '/v1/login', headers)
    expect(me).toMatchObject({ status: 200, body: { csrf, proofs: { passphrase: false, passkeys: 0, needed: false } } })
    expect((await send('GET', '/v1/approvals', headers)).status).toBe(200)
  })

  test('changes nothing without the token of its page, with another one, or from another page', async () => {
    const { headers, csrf } = await logIn()
    const other = await logIn()
    const refused = { status: 403, body: { code: 'auth.csrf' } }
    expect(await pause(headers)).toMatchObject(refused)
    expect(await pause({ ...headers, 'x-csrf-token': '' })).toMatchObject(refused)
    expect(await pause({ ...headers, 'x-csrf-token': other.csrf })).toMatchObject(refused)
    expect(await pause({ ...headers, 'x-csrf-token': csrf.toUpperCase() })).toMatchObject(refused)
    const token = { ...headers, 'x-csrf-token': csrf }
    expect(await pause({ ...token, origin: 'http://localhost:1' })).toMatchObject(refused)
    expect(await pause({ ...token, origin: 'null' })).toMatchObject({ status: 403 })
    expect(await pause({ ...token, 'sec-fetch-site': 'same-site' })).toMatchObject(refused)
    expect(await pause({ ...token, 'sec-fetch-site': 'cross-site' })).toMatchObject(refused)
    expect(await send('DELETE', '/v1/login', headers)).toMatchObject(refused)
    expect(await pause({ ...token, origin: gate.url, 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 })
  })

  test('is for people: an agent cannot log in with its key', async () => {
    const agent = await gate.key('agent', 'bot', 'mara')
    expect(await logIn(agent)).toMatchObject({ status: 403, cookie: '', body: { code: 'auth.forbidden' } })
    expect(await logIn('sluice_admin_wrong')).toMatchObject({ status: 401, cookie: '', body: { code: 'auth.invalid' } })
  })

  test('is not a credential: not as a bearer, at the MCP door, repeated, truncated, or next to a key', async () => {
    const { headers, csrf } = await logIn()
    const secret = headers.cookie.split('=')[1] ?? ''
    const out = { status: 401 }
    expect(await send('GET', '/v1/approvals', { authorization: `Bearer ${secret}` })).toMatchObject(out)
    const mcp = { ...headers, 'x-csrf-token': csrf, accept: 'application/json, text/event-stream' }
    expect(await send('POST', '/mcp', mcp, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).toMatchObject(out)
    expect(await send('GET', '/v1/approvals', { cookie: `${headers.cookie}; ${headers.cookie}x` })).toMatchObject(out)
    expect(await send('GET', '/v1/approvals', { cookie: headers.cookie.slice(0, -1) })).toMatchObject(out)
    expect(await send('GET', '/v1/approvals', { ...headers, authorization: 'Bearer wrong' })).toMatchObject(out)
  })

  test('ends when its key is revoked', async () => {
    const key = await gate.key('admin', 'passing', 'mara')
    const { headers } = await logIn(key)
    const listed = (await send('GET', '/v1/keys', headers)).body['items'] as {
      key_id: string
      caller: { id: string }
    }[]
    const id = listed.find(({ caller }) => caller.id === 'admin:passing')?.key_id ?? ''
    await gate.cli('keys', 'revoke', id)
    expect(await send('GET', '/v1/login', headers)).toMatchObject({ status: 401, body: { code: 'auth.logged_out' } })
  })

  test('can be ended here, or everywhere at once', async () => {
    const [one, two, three] = [await logIn(), await logIn(), await logIn()]
    const left = await send('DELETE', '/v1/login', { ...one.headers, 'x-csrf-token': one.csrf })
    expect(left).toMatchObject({ status: 200, body: { ended: 1 } })
    expect(left.cookie).toContain('Max-Age=0')
    expect(await send('GET', '/v1/login', one.headers)).toMatchObject({ status: 401 })
    expect(await send('GET', '/v1/login', two.headers)).toMatchObject({ status: 200 })
    const all = await send('DELETE', '/v1/logins', { ...two.headers, 'x-csrf-token': two.csrf })
    expect(Number(all.body['ended'])).toBeGreaterThan(1)
    for (const { headers } of [two, three])
      expect(await send('GET', '/v1/login', headers)).toMatchObject({ status: 401, body: { code: 'auth.logged_out' } })
  })
})
