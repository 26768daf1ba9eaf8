import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { openOidcLogins } from './open-oidc-logins.ts'

test('an ID token that another issuer signed, or that answers another login, is rejected', async () => {
  const ours = await generateKeyPair('RS256', { extractable: true })
  const theirs = await generateKeyPair('RS256', { extractable: true })
  let token = ''
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
  const opened = openOidcLogins([settings], () => undefined, Date.now)
  if (!opened.ok) throw new Error(opened.problem.code)
  const back = 'http://127.0.0.1:1/back'
  const tried = async (claims: Record<string, unknown>, key = ours.privateKey, of = {}, aud = 'console') => {
    const begun = await opened.value.begin('fake', back)
    if (!begun.ok) throw new Error(begun.problem.code)
    const { attempt } = begun.value
    token = await new SignJWT({ sub: 'ana', nonce: attempt.nonce, ...claims })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(url)
      .setAudience(aud)
      .setExpirationTime('1m')
      .sign(key)
    const done = await opened.value.finish(attempt, { state: attempt.state, code: 'c', ...of }, back)
    return done.ok ? 'in' : done.problem.code
  }
  expect(await tried({})).toBe('in')
  expect(await tried({ nonce: 'another' })).toBe('auth.login_failed')
  expect(await tried({ azp: 'another' })).toBe('auth.login_failed')
  expect(await tried({}, ours.privateKey, { state: 'another' })).toBe('auth.login_failed')
  expect(await tried({}, ours.privateKey, { iss: 'https://another.example' })).toBe('auth.login_failed')
  expect(await tried({}, ours.privateKey, { error: 'access_denied' })).toBe('auth.login_failed')
  expect(await tried({}, ours.privateKey, {}, 'api')).toBe('auth.wrong_audience')
  expect(await tried({}, theirs.privateKey)).toBe('auth.invalid')
  fake.closeAllConnections()
  fake.close()
})
