import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { openOidcLogins } from './open-oidc-logins.ts'

const keys = [randomBytes(32)]
const derived = () => [keys[0] ?? randomBytes(32), ...keys.slice(1)] as const
const place = { browser: 'b'.repeat(43), redirect_uri: 'http://127.0.0.1:1/back' }

test('an ID token that another issuer signed, or that answers another login, is rejected', async () => {
  const ours = await generateKeyPair('RS256', { extractable: true })
  const theirs = await generateKeyPair('RS256', { extractable: true })
  let token = ''
  let now = Date.now()
  const fake = createServer((request, response) => {
    const at = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    const send = (value: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.url?.endsWith('openid-configuration') === true)
      send({
        issuer: at,
        authorization_endpoint: `${at}/auth`,
        token_endpoint: `${at}/token`,
        jwks_uri: `${at}/keys`,
      })
    else if (request.url === '/keys')
      void exportJWK(ours.publicKey).then((key) => send({ keys: [{ ...key, alg: 'RS256' }] }))
    else send({ id_token: token })
  })
  await new Promise<void>((done) => fake.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
  const settings = {
    name: 'fake',
    issuer: url,
    audience: 'api',
    user: 'sub',
    user_prefix: '',
    kinds: [{ claim: 'sub', has: 'ana', kind: 'approver' as const }],
    flow_roles: [],
    login: { client_id: 'console', scope: 'openid' },
  }
  const opened = openOidcLogins(
    [settings],
    () => undefined,
    derived,
    () => now,
  )
  if (!opened.ok) throw new Error(opened.problem.code)
  const begin = async () => {
    const begun = await opened.value.begin('fake', place)
    if (!begun.ok) throw new Error(begun.problem.code)
    const asked = new URL(begun.value.url).searchParams
    const state = asked.get('state') ?? ''
    const attempt = await opened.value.attemptOf(state, place)
    if (attempt === undefined) throw new Error('a login that was just begun is not recognized')
    expect(asked.get('nonce')).toBe(attempt.nonce)
    expect(asked.get('code_challenge')).toBe(createHash('sha256').update(attempt.verifier).digest('base64url'))
    return { state, attempt }
  }
  const tried = async (claims: Record<string, unknown>, key = ours.privateKey, of = {}, aud = 'console') => {
    const { attempt } = await begin()
    token = await new SignJWT({ sub: 'ana', nonce: attempt.nonce, ...claims })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(url)
      .setAudience(aud)
      .setExpirationTime('1m')
      .sign(key)
    const done = await opened.value.finish(attempt, { code: 'c', ...of }, place.redirect_uri)
    return done.ok ? 'in' : done.problem.code
  }
  expect(await tried({})).toBe('in')
  expect(await tried({ nonce: 'another' })).toBe('auth.login_failed')
  expect(await tried({ azp: 'another' })).toBe('auth.login_failed')
  expect(await tried({}, ours.privateKey, { iss: 'https://another.example' })).toBe('auth.login_failed')
  expect(await tried({}, ours.privateKey, { error: 'access_denied' })).toBe('auth.login_failed')
  expect(await tried({}, ours.privateKey, {}, 'api')).toBe('auth.wrong_audience')
  expect(await tried({}, theirs.privateKey)).toBe('auth.invalid')

  // A state is recognized without anything being stored, only for the browser and the address that it was issued for.
  const { state, attempt } = await begin()
  const of = async (text: string | undefined, more = {}) =>
    (await opened.value.attemptOf(text, { ...place, ...more }))?.id
  expect(await of(state)).toBe(attempt.id)
  const swapped = `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`
  for (const text of [undefined, '', '.', 'fake', 'fake.', `other${state.slice(4)}`, `${state}A`, `${state}=`, swapped])
    expect([text, await of(text)]).toEqual([text, undefined])
  expect(await of(state, { browser: 'c'.repeat(43) })).toBeUndefined()
  expect(await of(state, { redirect_uri: 'http://localhost:1/back' })).toBeUndefined()
  keys.unshift(randomBytes(32))
  expect(await of(state)).toBe(attempt.id)
  keys.splice(1)
  expect(await of(state)).toBeUndefined()
  const late = await begin()
  now += 600_000
  expect(await of(late.state)).toBeUndefined()
  fake.closeAllConnections()
  fake.close()
})
