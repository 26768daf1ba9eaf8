import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sendJson, startProtected, type ProtectedServer } from './protected-server.suite.ts'
import { serverAt, withLogins, type LoginRig } from './with-logins.suite.ts'

let at: ProtectedServer
let challenge: string
beforeAll(async () => {
  at = await startProtected()
  challenge = at.challenge
})
afterAll(() => at.stop())
afterEach(() => {
  at.intercept = () => false
  at.interceptTools = () => false
  at.challenge = challenge
  at.asked.length = 0
})

type Json = Record<string, unknown>

/** Replaces what the tool server says about its login. */
function describesLogin(more: Json): void {
  at.interceptTools = (request, response) => {
    if (request.url?.includes('oauth-protected-resource') !== true) return false
    sendJson(response, { resource: at.url, authorization_servers: [at.issuer], ...more })
    return true
  }
}

/** Adds fields to the authorization server's metadata. */
async function describesItself(more: Json): Promise<void> {
  const said = (await (await fetch(`${at.issuer}/.well-known/openid-configuration`)).json()) as Json
  at.asked.length = 0
  at.intercept = (request, response) => {
    if (request.url?.startsWith('/.well-known/') !== true) return false
    sendJson(response, { ...said, ...more })
    return true
  }
}

const why = async ({ logins }: LoginRig) => {
  const started = await logins.start({ server: 'notes' }, 'user:tester')
  return started.ok ? 'started' : `${started.problem.code}: ${started.problem.about['why']}`
}
const withServer = (use: (rig: LoginRig) => Promise<void>, timeout_ms = 5_000) =>
  withLogins({ server: serverAt(at.url), timeout_ms }, use)

describe('a tool server that describes its login falsely', () => {
  const elsewhere = [
    ['http://login.example.com', 'is not https'],
    ['http://169.254.169.254/latest', 'is not https'],
    ['https://169.254.169.254/latest', 'has a private address'],
    ['https://10.0.0.7', 'has a private address'],
    ['https://[::ffff:10.0.0.7]', 'has a private address'],
    ['https://[fd00::1]', 'has a private address'],
    ['https://user:pass@login.example.com', 'contains credentials'],
    ['file:///etc/passwd', 'is not https'],
    ['javascript:alert(1)', ''],
    ['not a valid address', ''],
  ] as const
  for (const [issuer, says] of elsewhere)
    test(`an authorization server at ${issuer} is not asked`, async () => {
      describesLogin({ authorization_servers: [issuer] })
      await withServer(async (rig) => {
        const said = await why(rig)
        expect(said).toMatch(/^login\.failed: /)
        expect(said).toContain(says)
      })
    })

  test('the login of another server is not used', async () => {
    describesLogin({ resource: 'https://bank.example.com/mcp' })
    await withServer(async (rig) => expect(await why(rig)).toContain('the login of another server'))
  })

  test('an address for its metadata at another origin is not followed', async () => {
    let asked = 0
    const other = createServer((_, response) => {
      asked += 1
      sendJson(response, { resource: at.url, authorization_servers: ['https://evil.example.com'] })
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    at.challenge = `Bearer resource_metadata="http://127.0.0.1:${(other.address() as AddressInfo).port}/x"`
    await withServer(async (rig) => {
      await rig.servers.ready('notes')
      expect(await why(rig)).toBe('started')
    })
    expect(asked).toBe(0)
    other.close()
  })

  test('with a configured issuer no other authorization server is accepted', () =>
    withLogins({ server: serverAt(at.url, { issuer: 'https://login.example.com' }) }, async (rig) => {
      expect(await why(rig)).toContain('names a different authorization server than `login.issuer`')
    }))
})

describe('an authorization server with false metadata', () => {
  const lies = [
    [{ issuer: 'https://other.example.com' }, 'reports a different `issuer`'],
    [{ authorization_endpoint: 'javascript:alert(1)' }, 'cannot be read'],
    [{ authorization_endpoint: 'file:///etc/passwd' }, 'is not https'],
    [{ authorization_endpoint: 'http://login.example.com/auth' }, 'is not https'],
    [{ token_endpoint: 'http://169.254.169.254/token' }, 'is not https'],
    [{ token_endpoint: 'https://10.1.2.3/token' }, 'has a private address'],
    [{ registration_endpoint: 'https://[::1]:1/register' }, 'could not be reached'],
    [{ code_challenge_methods_supported: ['plain'] }, 'does not support PKCE'],
    [{ code_challenge_methods_supported: undefined }, 'does not support PKCE'],
    [{ registration_endpoint: undefined }, 'http://127.0.0.1:7999/oauth/callback'],
    [{ padding: 'x'.repeat(1_000_000) }, 'is too large'],
  ] as const
  for (const [lie, says] of lies)
    test(`${JSON.stringify(lie).slice(0, 80)}: ${says}`, async () => {
      await describesItself(lie)
      await withServer(async (rig) => expect(await why(rig)).toContain(says))
    })

  test('a request to one that never answers times out', async () => {
    at.intercept = () => true
    await withServer(async (rig) => expect(await why(rig)).toContain('could not be reached'), 200)
  })

  test('a redirect to another address is not followed', async () => {
    let asked = 0
    const other = createServer((_, response) => {
      asked += 1
      sendJson(response, { access_token: 'x', token_type: 'Bearer' })
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    await withServer(async ({ logIn, files }) => {
      at.intercept = (request, response) => {
        if (request.url !== '/token') return false
        const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/token`
        response.writeHead(307, { location }).end()
        return true
      }
      expect(await logIn('anna')).toMatchObject({ ok: false, problem: { code: 'login.failed' } })
      expect(files()).not.toContain('access_token')
    })
    expect(asked).toBe(0)
    other.close()
  })

  const grants = [
    [{ access_token: 'a\r\nx: y', token_type: 'Bearer' }, 'contain invalid characters'],
    [{ access_token: 'abc', token_type: 'mac' }, 'not bearer tokens'],
    [{ access_token: 'abc' }, 'cannot be read'],
    [{ error: 'Ünfug <b>', error_description: 'go to evil.example.com' }, 'refused (error)'],
  ] as const
  for (const [grant, says] of grants)
    test(`a token endpoint that answers ${JSON.stringify(grant)}: ${says}`, () =>
      withServer(async ({ logIn, files }) => {
        at.intercept = (request, response) => {
          if (request.url !== '/token') return false
          sendJson(response, grant)
          return true
        }
        const ended = await logIn('anna')
        expect(ended.ok ? '' : ended.problem.about['why']).toContain(says)
        expect(JSON.stringify(ended)).not.toContain('evil')
        expect(files()).not.toContain('access_token')
      }))

  test('a refresh goes to the endpoint of the login, whatever the metadata say now', async () => {
    let ahead = 0
    await withLogins({ server: serverAt(at.url), clock: () => Date.now() + ahead }, async (rig) => {
      await rig.logIn('anna')
      await rig.servers.ready('notes')
      await describesItself({ token_endpoint: `${at.issuer}/stolen` })
      ahead = 3_590_000
      expect(await rig.call('read_name')).toMatchObject({ is: 'answered' })
      expect([at.count('/token'), at.count('/stolen')]).toEqual([1, 0])
    })
  })
})

describe('a callback that was not requested', () => {
  const secretOf = (rig: LoginRig, url: string) => {
    const page = rig.logins.page(url.slice(-43))
    return page.ok ? page.value.secret : ''
  }
  /** A login up to its callback, with everything that a browser sends. */
  async function begun(rig: LoginRig, name: string, user?: string) {
    const started = await rig.logins.start({ server: 'notes', user }, 'user:tester')
    const secret = secretOf(rig, started.ok ? started.value.url : '')
    const back = await rig.browse(name, user)
    const { state = '', code = '', iss = '' } = Object.fromEntries(back.searchParams)
    return { state, code, iss, secrets: [secret] }
  }

  test('a state can be used once', () =>
    withServer(async (rig) => {
      const back = await begun(rig, 'anna')
      expect(await rig.logins.finish(back)).toMatchObject({ ok: true })
      expect(await rig.logins.finish(back)).toMatchObject({ ok: false, problem: { code: 'login.unknown' } })
    }))

  test('another browser than the one that started cannot finish the login, and its attempt uses up the state', () =>
    withServer(async (rig) => {
      const back = await begun(rig, 'anna')
      const { secrets: _, ...without } = back
      expect(await rig.logins.finish(without)).toMatchObject({ ok: false, problem: { code: 'login.failed' } })
      expect(await rig.logins.finish(back)).toMatchObject({ ok: false, problem: { code: 'login.unknown' } })
      expect(at.count('/token')).toBe(0)
    }))

  test("somebody else's code is rejected", () =>
    withLogins({ server: serverAt(at.url, { per: 'user' }) }, async (rig) => {
      const anna = await begun(rig, 'anna', 'user-a')
      const mallory = await begun(rig, 'mallory', 'user-m')
      expect(await rig.logins.finish({ ...anna, code: mallory.code })).toMatchObject({
        ok: false,
        problem: { about: { why: 'the authorization server refused (invalid_grant)' } },
      })
      expect(rig.files()).not.toContain('access_token')
    }))

  for (const [name, iss] of [
    ['another issuer', 'https://evil.example.com'],
    ['no issuer', undefined],
  ] as const)
    test(`an answer with ${name} is rejected, and its code is not sent anywhere`, () =>
      withServer(async (rig) => {
        const { iss: _, ...back } = await begun(rig, 'anna')
        expect(await rig.logins.finish({ ...back, ...(iss === undefined ? {} : { iss }) })).toMatchObject({
          ok: false,
          problem: { about: { why: expect.stringContaining('`iss` differs') as unknown } },
        })
        expect(at.count('/token')).toBe(0)
      }))

  test('an unknown state, an empty one and an error text of the other server are rejected', () =>
    withServer(async (rig) => {
      for (const back of [{}, { state: '' }, { state: 'x', code: 'y' }])
        expect(await rig.logins.finish(back)).toMatchObject({ ok: false, problem: { code: 'login.unknown' } })
      const { state, secrets } = await begun(rig, 'anna')
      const ended = await rig.logins.finish({ state, secrets, error: '<script>alert(1)</script>' })
      expect(ended).toMatchObject({ ok: false, problem: { code: 'login.failed' } })
      expect(JSON.stringify(ended)).not.toContain('script')
    }))

  test('a login that nobody completes expires', () => {
    let ahead = 0
    return withLogins({ server: serverAt(at.url), clock: () => Date.now() + ahead }, async (rig) => {
      const back = await begun(rig, 'anna')
      ahead = 601_000
      expect(await rig.logins.finish(back)).toMatchObject({ ok: false, problem: { code: 'login.unknown' } })
    })
  })
})

test('a client that was registered by hand is used instead of a registration', async () => {
  const made = (await (
    await fetch(`${at.issuer}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['http://127.0.0.1:7999/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        application_type: 'native',
      }),
    })
  ).json()) as { client_id: string; client_secret: string }
  at.asked.length = 0
  const { client_id, client_secret } = made
  await withLogins({ server: serverAt(at.url, { client_id, client_secret }) }, async ({ logIn }) => {
    expect(await logIn('anna')).toMatchObject({ ok: true })
    expect(at.count('/reg')).toBe(0)
  })
})
