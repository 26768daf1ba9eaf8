import { SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../read-config.ts'
import { callerFromClaims } from '../../src/kernel/identity/caller-from-claims.ts'
import { ASK_AGAIN_MS, FRESH_MS } from '../../src/adapters/keys/issuer-keys.ts'
import { oidcIssuers } from '../../src/adapters/keys/oidc.ts'
import { OidcIssuer } from '../../src/kernel/contract/auth-settings.ts'
import { openTestGate, pendingOf, type GateRig, approveShown } from '../helpers/with-gate.ts'
import { localIssuer, type LocalIssuer } from './local-issuer.ts'

const AUDIENCE = 'sluice'
const now = () => Math.floor(Date.now() / 1000)

let issuer: LocalIssuer
let rig: GateRig
let folder = ''
const settings = (more: object = {}) => ({
  name: 'corp',
  issuer: issuer.url,
  audience: AUDIENCE,
  people_clients: ['cli', 'desk'],
  kinds: [
    { claim: 'azp', has: 'claude', kind: 'agent' },
    { claim: ['realm_access', 'roles'], has: 'approvers', kind: 'approver' },
    { claim: 'role', has: 'staff', kind: 'user' },
    { claim: 'role', has: 'root', kind: 'admin' },
  ],
  flow_roles: [
    { claim: 'groups', has: 'readers', role: 'viewer' },
    { claim: 'groups', has: 'process-owners', role: 'editor' },
  ],
  ...more,
})
beforeAll(async () => {
  issuer = await localIssuer()
  folder = mkdtempSync(join(tmpdir(), 'sluice-oidc-'))
  rig = await openTestGate(folder, { config: { auth: { oidc: [settings()] } } })
})
afterAll(async () => {
  await rig.opened.close()
  await issuer.close()
  rmSync(folder, { recursive: true, force: true })
})

const GOOD = { sub: 'ana', role: 'staff', azp: 'cli' }
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: issuer.url,
  aud: AUDIENCE,
  iat: now(),
  exp: now() + 60,
  ...GOOD,
  ...more,
})
const who = async (token: string) => {
  const caller = await rig.gate.identity.authenticate(token)
  return caller.ok ? `${caller.value.id} for ${caller.value.user}` : caller.problem.code
}
/** Without the claims that are named. */
const without = (...names: string[]): JWTPayload =>
  Object.fromEntries(Object.entries(claims()).filter(([name]) => !names.includes(name)))

describe('a token of a configured issuer', () => {
  test('identifies its holder, with the kind that the configuration maps its claims to', async () => {
    expect(await who(await issuer.sign(claims()))).toBe('user:corp/ana for ana')
    expect(await who(await issuer.sign(claims({ aud: [AUDIENCE] })))).toBe('user:corp/ana for ana')
    const approver = claims({ sub: 'bob', realm_access: { roles: ['x', 'approvers'] } })
    expect(await who(await issuer.sign(approver))).toBe('approver:corp/bob for bob')
  })

  test('has the highest role in flows that its claims give, or none', async () => {
    const roleOf = async (groups: string[]) => {
      const caller = await rig.gate.identity.authenticate(await issuer.sign(claims({ groups })))
      return caller.ok ? caller.value.flow_role : caller.problem.code
    }
    expect(await roleOf(['readers', 'process-owners'])).toBe('editor')
    expect(await roleOf(['readers'])).toBe('viewer')
    expect(await roleOf(['others'])).toBeUndefined()
  })

  test('of an agent stays an agent`s token, whatever roles its user has', async () => {
    const token = await issuer.sign(claims({ azp: 'claude', role: 'root', realm_access: { roles: ['approvers'] } }))
    expect(await who(token)).toBe('agent:corp/ana for ana')
    const caller = await rig.gate.identity.authenticate(token)
    if (!caller.ok) throw new Error(caller.problem.code)
    const { approval_id } = pendingOf(await rig.call('book__note', { text: 'x' }, { caller: caller.value }))
    expect(await approveShown(rig.gate, caller.value, approval_id)).toMatchObject({
      problem: { code: 'auth.forbidden' },
    })
  })

  const clients: [string, JWTPayload, string][] = [
    ['of a listed client', {}, 'approver'],
    ['that names its client as RFC 9068 does', { azp: undefined, client_id: 'cli' }, 'approver'],
    ['that names its client in two listed ways', { client_id: 'desk' }, 'approver'],
    ['that names its client as `appid`', { azp: undefined, appid: 'cli' }, 'approver'],
    ['that names its client as `cid`', { azp: undefined, cid: 'cli' }, 'approver'],
    ['of a client nobody listed', { azp: 'cursor' }, 'agent'],
    ['of a client in other letter case', { azp: 'CLI' }, 'agent'],
    ['of no client', { azp: undefined }, 'agent'],
    ['of several clients', { azp: ['cli', 'desk'] }, 'agent'],
    ['of an empty list of clients', { azp: [] }, 'agent'],
    ['of a listed client and another one', { client_id: 'cursor' }, 'agent'],
    ['of a listed client and another one in `appid`', { appid: 'cursor' }, 'agent'],
    ['for this gate and another service', { aud: [AUDIENCE, 'mail'] }, 'agent'],
    ['for this gate twice', { aud: [AUDIENCE, AUDIENCE] }, 'agent'],
    ['of a program that acts for its user', { act: { sub: 'assistant' } }, 'agent'],
    ['of a client that acts for nobody', { sub: 'cli' }, 'agent'],
  ]
  test.each(clients)('%s is of the right kind', async (_, more, kind) => {
    const groups = { realm_access: { roles: ['approvers'] }, groups: ['process-owners'] }
    const caller = await rig.gate.identity.authenticate(await issuer.sign(claims({ ...groups, ...more })))
    if (!caller.ok) throw new Error(caller.problem.code)
    expect(caller.value).toMatchObject({ kind, id: `${kind}:corp/${more.sub ?? 'ana'}` })
    // A person's role in flows is not their agent's.
    expect(caller.value.flow_role).toBe(kind === 'agent' ? undefined : 'editor')
  })

  const kinds: [string, { typ?: string }, JWTPayload, boolean][] = [
    ['without a type', {}, {}, true],
    ['of type at+jwt', { typ: 'at+jwt' }, {}, true],
    ['of type application/at+jwt', { typ: 'application/at+JWT' }, {}, true],
    ['of type JWT', { typ: 'JWT' }, {}, true],
    ['of type at+jwt with a nonce', { typ: 'at+jwt' }, { nonce: 'n' }, true],
    ['that says that it is a bearer token', { typ: 'JWT' }, { typ: 'Bearer', nonce: 'n' }, true],
    ['that says that it is an access token', {}, { token_use: 'access' }, true],
    ['of type logout+jwt', { typ: 'logout+jwt' }, {}, false],
    ['of type secevent+jwt', { typ: 'secevent+jwt' }, {}, false],
    ['of type dpop+jwt', { typ: 'dpop+jwt' }, {}, false],
    ['of type token-introspection+jwt', { typ: 'token-introspection+jwt' }, {}, false],
    ['of an unknown type', { typ: 'x' }, {}, false],
    ['of an empty type', { typ: '' }, {}, false],
    ['that reports a logout', {}, { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, false],
    ['that is an ID token, by its nonce', { typ: 'JWT' }, { nonce: 'n' }, false],
    ['that is an ID token, by the hash of its access token', {}, { at_hash: 'h' }, false],
    ['that is an ID token, by its audience', {}, { azp: AUDIENCE }, false],
    ['that says that it is an ID token', { typ: 'JWT' }, { typ: 'ID' }, false],
    ['that says that it is a refresh token', { typ: 'JWT' }, { typ: 'Refresh' }, false],
    ['that says that it is used as an ID token', {}, { token_use: 'id' }, false],
    ['that is bound to a key (DPoP)', { typ: 'at+jwt' }, { cnf: { jkt: 'x' } }, false],
    ['that is bound to a certificate', { typ: 'at+jwt' }, { cnf: { 'x5t#S256': 'x' } }, false],
  ]
  test.each(kinds)('%s: whether it is accepted', async (_, header, more, accepted) => {
    expect(await who(await issuer.sign(claims(more), header))).toBe(
      accepted ? 'user:corp/ana for ana' : 'auth.wrong_token',
    )
  })

  const refused: [string, () => Promise<string> | string, string][] = [
    ['for another audience', () => issuer.sign(claims({ aud: 'other' })), 'auth.wrong_audience'],
    ['without an audience', () => issuer.sign(without('aud')), 'auth.wrong_audience'],
    ['whose audience only begins like ours', () => issuer.sign(claims({ aud: `${AUDIENCE}2` })), 'auth.wrong_audience'],
    ['that is expired', () => issuer.sign(claims({ exp: now() - 10 })), 'auth.expired'],
    ['that never expires', () => issuer.sign(without('exp')), 'auth.invalid'],
    ['that is not valid yet', () => issuer.sign(claims({ nbf: now() + 60 })), 'auth.not_yet_valid'],
    ['of another issuer', () => issuer.sign(claims({ iss: 'https://evil.example' })), 'auth.unknown_issuer'],
    ['of our issuer with an extra slash', () => issuer.sign(claims({ iss: `${issuer.url}/` })), 'auth.unknown_issuer'],
    ['without an issuer', () => issuer.sign(without('iss')), 'auth.invalid'],
    ['with a role nobody mapped', () => issuer.sign(claims({ role: 'intern' })), 'auth.unmapped'],
    ['without any role', () => issuer.sign(without('role')), 'auth.unmapped'],
    ['whose role is an object', () => issuer.sign(claims({ role: { staff: true } })), 'auth.unmapped'],
    ['without a person', () => issuer.sign(without('sub')), 'auth.unmapped'],
    ['whose person has a line break', () => issuer.sign(claims({ sub: 'ana\nadmin' })), 'auth.unmapped'],
    ['whose person would be the folder`s owner', () => issuer.sign(claims({ sub: 'local' })), 'auth.unmapped'],
    ['that is not signed', () => new UnsecuredJWT(claims()).encode(), 'auth.invalid'],
    ['that is cut off', async () => (await issuer.sign(claims())).slice(0, -4), 'auth.invalid'],
    ['of 20 kB', () => issuer.sign(claims({ more: 'a'.repeat(20_000) })), 'auth.invalid'],
    [
      'signed with the public key as a secret',
      async () =>
        new SignJWT(claims())
          .setProtectedHeader({ alg: 'HS256', kid: 'k0' })
          .sign(new TextEncoder().encode(await issuer.publicPem())),
      'auth.invalid',
    ],
    [
      'whose claims were changed after it was signed',
      async () => {
        const [head, , signature] = (await issuer.sign(claims())).split('.')
        const body = Buffer.from(JSON.stringify(claims({ role: 'root' }))).toString('base64url')
        return `${head}.${body}.${signature}`
      },
      'auth.invalid',
    ],
    [
      'signed by somebody else under the issuer`s name',
      async () => {
        const other = await localIssuer()
        await other.close()
        return other.sign(claims())
      },
      'auth.invalid',
    ],
  ]
  test.each(refused)('%s is refused', async (_, token, code) => {
    expect(await who(await token())).toBe(code)
  })
})

describe('an issuer', () => {
  function rigged(more: object = {}) {
    const time = { now: Date.now() }
    const issuers = oidcIssuers([OidcIssuer.parse(settings(more))], () => time.now)
    const ask = async (token: string) => {
      const claims = await issuers.claimsOf(token)
      return claims.ok ? 'known' : claims.problem.code
    }
    return { time, ask }
  }

  test('is asked for its keys once, and once more for an unknown key, however many tokens arrive', async () => {
    const { ask, time } = rigged()
    issuer.asked.clear()
    const token = await issuer.sign(claims({ exp: now() + 3_600 }))
    const times = Array.from({ length: 20 })
    expect(new Set(await Promise.all(times.map(() => ask(token))))).toEqual(new Set(['known']))
    expect(issuer.asked.get('/jwks')).toBe(1)
    await issuer.rotate()
    const newer = await issuer.sign(claims({ exp: now() + 3_600 }))
    expect(new Set(await Promise.all(times.map(() => ask(newer))))).toEqual(new Set(['auth.invalid']))
    expect(issuer.asked.get('/jwks')).toBe(1)
    time.now += ASK_AGAIN_MS
    expect(new Set(await Promise.all(times.map(() => ask(newer))))).toEqual(new Set(['known']))
    expect(issuer.asked.get('/jwks')).toBe(2)
  })

  const broken: [string, string, Parameters<LocalIssuer['instead']['set']>[1]][] = [
    ['that is down', '/jwks', (response) => response.destroy()],
    ['that fails', '/jwks', (response) => response.writeHead(500).end()],
    ['whose answer is too long', '/jwks', (response) => response.end(`{"keys":[${'{},'.repeat(200_000)}{}]}`)],
    ['that answers nonsense', '/jwks', (response) => response.end('<html>')],
    ['that redirects', '/jwks', (response) => response.writeHead(302, { location: `${issuer.url}/other` }).end()],
    [
      'whose discovery document names another issuer',
      '/.well-known/openid-configuration',
      (response) => response.end(JSON.stringify({ issuer: 'https://evil.example', jwks_uri: `${issuer.url}/jwks` })),
    ],
  ]
  test.each(broken)('%s: its tokens are rejected, and it is not asked again for a while', async (_, path, answer) => {
    const { ask, time } = rigged()
    const token = await issuer.sign(claims({ exp: now() + 3_600 }))
    issuer.instead.set(path, answer)
    issuer.asked.clear()
    expect(await ask(token)).toBe('auth.issuer_unavailable')
    expect(await ask(token)).toBe('auth.issuer_unavailable')
    expect(issuer.asked.get(path)).toBe(1)
    issuer.instead.clear()
    time.now += ASK_AGAIN_MS
    expect(await ask(token)).toBe('known')
  })

  test('that goes down is trusted as long as its keys are fresh, and no longer', async () => {
    const { ask, time } = rigged({ jwks_uri: `${issuer.url}/jwks` })
    const token = await issuer.sign(claims({ exp: now() + 3_600 }))
    expect(await ask(token)).toBe('known')
    issuer.instead.set('/jwks', (response) => response.destroy())
    time.now += FRESH_MS - 1
    expect(await ask(token)).toBe('known')
    time.now += 1
    expect(await ask(token)).toBe('auth.issuer_unavailable')
    issuer.instead.clear()
  })

  test.each([
    ['without an audience', { audience: undefined }],
    ['with an empty audience', { audience: '' }],
    ['without an issuer', { issuer: undefined }],
    ['over plain HTTP elsewhere', { issuer: 'http://id.example.com' }],
    ['with keys over plain HTTP elsewhere', { jwks_uri: 'http://id.example.com/jwks' }],
    ['that maps nothing', { kinds: [] }],
    ['that makes people of tokens without a list of their clients', { people_clients: undefined }],
    ['whose audience is a client of people', { people_clients: [AUDIENCE] }],
    ['whose audience is the client of the console', { login: { client_id: AUDIENCE } }],
    ['that maps to an unknown kind', { kinds: [{ claim: 'role', has: 'x', kind: 'root' }] }],
  ])('%s is not a valid configuration', (_, more) => {
    expect(readConfig({ auth: { oidc: [settings(more)] } })).toMatchObject({ problem: { code: 'config.invalid' } })
  })
})

test('an issuer that makes people of tokens must say with which clients, in words that help', () => {
  const read = readConfig({ auth: { oidc: [settings({ people_clients: undefined })] } })
  expect(JSON.stringify(read)).toContain('list the OAuth clients that people use themselves')
  const agents = { kinds: [{ claim: 'role', has: 'bot', kind: 'agent' }], people_clients: undefined }
  expect(readConfig({ auth: { oidc: [settings(agents)] } }).ok).toBe(true)
})

test('an e-mail address is used as the user name only if the issuer has verified it', () => {
  const mail = OidcIssuer.parse(settings({ user: 'email', user_prefix: 'corp/' }))
  const claims = { role: 'staff', email: 'ana@example.com' }
  expect(callerFromClaims(mail, { ...claims, email_verified: true }, 'login')).toMatchObject({
    value: { id: 'user:corp/ana@example.com', user: 'corp/ana@example.com' },
  })
  for (const email_verified of [false, 'true', undefined])
    expect(callerFromClaims(mail, { ...claims, email_verified }, 'login')).toMatchObject({
      problem: { code: 'auth.unmapped' },
    })
})
