import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { refuse } from '../../../kernel/contract/problems.ts'
import { sendJson, startProtected, type ProtectedServer } from './protected-server.suite.ts'
import { serverAt, withLogins } from './with-logins.suite.ts'

let at: ProtectedServer
let challenge: string
beforeAll(async () => {
  at = await startProtected({ access_ttl: 1000 })
  challenge = at.challenge
})
afterAll(() => at.stop())
afterEach(() => {
  at.intercept = () => false
  at.interceptTools = () => false
  at.closed = false
  at.challenge = challenge
  at.asked.length = 0
})

const textOf = (answer: unknown) =>
  (answer as { result?: { content?: { text?: string }[] } }).result?.content?.[0]?.text ?? JSON.stringify(answer)
const NEEDED = { is: 'not_sent', problem: { code: 'tool.login_needed' } }
const token = '/token'

/** A clock that can be advanced: at 950 s the token must be refreshed, at 1001 s it has expired. */
function clockOf() {
  let ahead = 0
  return { now: () => Date.now() + ahead, forward: (seconds: number) => void (ahead += seconds * 1000) }
}

describe('a login at a tool server, by a person with a browser', () => {
  test('the server waits for a login, a person logs in, and its tools are listed and run', () =>
    withLogins({ server: serverAt(at.url) }, async ({ servers, logIn, call, state, listed, logged }) => {
      expect(await servers.ready('notes')).toMatchObject({ ok: false, problem: { code: 'tool.login_needed' } })
      expect(servers.status()[0]).toMatchObject({ state: 'needs_login', last_failure: 'nobody has logged in' })
      expect(await call('read_name')).toMatchObject({
        ...NEEDED,
        problem: { about: { server: 'notes', why: 'nobody has logged in' } },
      })
      expect(await logIn('anna')).toMatchObject({ ok: true, value: { server: 'notes', issuer: at.issuer } })
      await servers.ready('notes')
      expect(state()).toBe('ready')
      expect(servers.status()[0]?.last_failure).toBeUndefined()
      expect(listed).toContain('read_name')
      expect(textOf(await call('read_name'))).toBe('anna')
      expect(logged.join()).not.toMatch(/did not start/)
    }))

  test('without a `login` section a server that asks for a bearer token waits for a login too', () =>
    withLogins({ server: serverAt(at.url, { configured: false }) }, async ({ servers, state }) => {
      await servers.ready('notes')
      expect(state()).toBe('needs_login')
    }))

  test('a server that answers 401 to a key in a header is down, not waiting for a login', async () => {
    at.interceptTools = (request, response) => {
      request.resume()
      response.writeHead(401).end()
      return true
    }
    const server = { ...serverAt(at.url, { configured: false }), headers: { 'x-key': 'wrong' } }
    await withLogins({ server }, async ({ servers, state }) => {
      await servers.ready('notes')
      expect(state()).not.toBe('needs_login')
    })
  })

  test('only their owner can read the files, and the status and the log contain no token', () =>
    withLogins({ server: serverAt(at.url) }, async ({ servers, logIn, call, files, logged }) => {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-oauth-'))
      await withLogins({ server: serverAt(at.url), folder }, async (rig) => {
        await rig.logIn('anna')
        const [file = ''] = readdirSync(join(folder, 'logins'))
        expect(statSync(join(folder, 'logins', file)).mode & 0o077).toBe(0)
        expect(statSync(join(folder, 'logins')).mode & 0o077).toBe(0)
      })
      rmSync(folder, { recursive: true })
      await logIn('anna')
      await call('read_name')
      const held = [...files().matchAll(/"(?:access|refresh)_token":"([^"]+)"/g)].map(([, text = '']) => text)
      expect(held).toHaveLength(2)
      const shown = JSON.stringify([servers.status(), logged])
      for (const text of held) expect(shown).not.toContain(text)
    }))

  test('after a restart the login is still there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-oauth-'))
    await withLogins({ server: serverAt(at.url), folder }, async ({ logIn }) => void (await logIn('anna')))
    await withLogins({ server: serverAt(at.url), folder }, async ({ call }) => {
      expect(textOf(await call('read_name'))).toBe('anna')
    })
    // At another address it is not used.
    const other = serverAt(`${at.url}?other`)
    await withLogins({ server: other, folder }, async ({ call }) => {
      expect(await call('read_name')).toMatchObject(NEEDED)
    })
    rmSync(folder, { recursive: true })
  })

  test('a token is refreshed before it expires, once for twenty calls at a time, and the refresh token rotates', () => {
    const clock = clockOf()
    return withLogins({ server: serverAt(at.url), clock: clock.now }, async ({ servers, logIn, call, files }) => {
      await logIn('anna')
      await servers.ready('notes')
      const before = files()
      at.asked.length = 0
      clock.forward(945)
      const answers = await Promise.all(Array.from({ length: 20 }, () => call('read_name')))
      expect(answers.map(textOf)).toEqual(Array.from({ length: 20 }, () => 'anna'))
      expect(at.count(token)).toBe(1)
      const [first, second] = [before, files()].map((text) => /"refresh_token":"([^"]+)"/.exec(text)?.[1])
      expect(second).toBeDefined()
      expect(second).not.toBe(first)
      expect(files()).not.toContain('refreshing_since')
      clock.forward(945)
      expect(textOf(await call('read_name'))).toBe('anna')
      expect(at.count(token)).toBe(2)
    })
  })

  test('a token that the server refuses is refreshed once, and then a login is needed', () =>
    withLogins({ server: serverAt(at.url) }, async ({ servers, logIn, call, state }) => {
      await logIn('anna')
      await servers.ready('notes')
      at.asked.length = 0
      at.closed = true
      expect(await call('read_name')).toMatchObject(NEEDED)
      expect(at.count(token)).toBe(1)
      await expect.poll(state).toBe('needs_login')
    }))

  test('a login survives an authorization server that hangs or fails', () => {
    const clock = clockOf()
    const server = serverAt(at.url)
    return withLogins({ server, clock: clock.now, timeout_ms: 1_500 }, async ({ servers, logIn, call, logins }) => {
      await logIn('anna')
      await servers.ready('notes')
      at.intercept = (request) => request.url === token
      clock.forward(945)
      // Due for a refresh, but still valid.
      expect(textOf(await call('read_name'))).toBe('anna')
      clock.forward(60)
      at.intercept = (request, response) => {
        if (request.url !== token) return false
        sendJson(response, { error: 'temporarily_unavailable', error_description: 'secret words' }, 503)
        return true
      }
      const failed = await call('read_name')
      expect(failed).toMatchObject({ is: 'not_sent', problem: { code: 'tool.unavailable' } })
      expect(JSON.stringify(failed)).not.toContain('secret words')
      expect(logins.status({ server: 'notes' }).state).toBe('logged_in')
      at.intercept = () => false
      clock.forward(2)
      expect(textOf(await call('read_name'))).toBe('anna')
    })
  })

  test('tokens that could not be saved are still used, and saved at the next call', () => {
    const clock = clockOf()
    let is_full = false
    const options = {
      server: serverAt(at.url),
      clock: clock.now,
      store: (store: Parameters<NonNullable<Parameters<typeof withLogins>[0]['store']>>[0]) => ({
        ...store,
        write: (login: Parameters<typeof store.write>[0]) =>
          is_full ? refuse('key.absent', { why: 'ENOSPC' }) : store.write(login),
      }),
    }
    return withLogins(options, async ({ servers, logIn, call, files, logged }) => {
      await logIn('anna')
      await servers.ready('notes')
      const before = files()
      is_full = true
      clock.forward(945)
      expect(textOf(await call('read_name'))).toBe('anna')
      expect(files()).toBe(before)
      expect(logged.join()).toContain('could not be saved (ENOSPC)')
      is_full = false
      expect(textOf(await call('read_name'))).toBe('anna')
      expect(files()).not.toBe(before)
    })
  })

  test('a gate that was killed between the refresh and the save says so, and needs a login', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-oauth-'))
    const clock = clockOf()
    const server = serverAt(at.url)
    let is_killed = false
    const dying = {
      server,
      folder,
      clock: clock.now,
      store: (store: Parameters<NonNullable<Parameters<typeof withLogins>[0]['store']>>[0]) => ({
        ...store,
        // The request is recorded; the response never is.
        write: (login: Parameters<typeof store.write>[0]) => {
          if (is_killed && login.refreshing_since === undefined) return refuse('key.absent', { why: 'killed' })
          return store.write(login)
        },
      }),
    }
    await withLogins(dying, async ({ servers, logIn, call }) => {
      await logIn('anna')
      await servers.ready('notes')
      is_killed = true
      clock.forward(945)
      await call('read_name')
    })
    clock.forward(60)
    await withLogins({ server, folder, clock: clock.now }, async ({ call, logIn, servers, files }) => {
      expect(await call('read_name')).toMatchObject({
        ...NEEDED,
        problem: { about: { why: 'the gate stopped while it was refreshing the login, so the login is lost' } },
      })
      expect(files()).not.toContain('access_token')
      await logIn('anna')
      await servers.ready('notes')
      expect(textOf(await call('read_name'))).toBe('anna')
    })
    rmSync(folder, { recursive: true })
  })

  test('a logout revokes the tokens at the authorization server and forgets them', () =>
    withLogins({ server: serverAt(at.url) }, async ({ servers, logins, logIn, call, files, state }) => {
      await logIn('anna')
      await servers.ready('notes')
      const held = /"access_token":"([^"]+)"/.exec(files())?.[1] ?? ''
      expect(await at.provider.AccessToken.find(held)).toBeDefined()
      expect(await logins.end({ server: 'notes' })).toEqual({ ok: true, value: { revoked: true } })
      expect(await at.provider.AccessToken.find(held)).toBeUndefined()
      expect(files()).not.toContain(held)
      await expect.poll(state).toBe('needs_login')
      expect(await call('read_name')).toMatchObject(NEEDED)
    }))

  test('where the authorization server does not answer, a logout still forgets the tokens and says so', () =>
    withLogins({ server: serverAt(at.url) }, async ({ logins, logIn, files }) => {
      await logIn('anna')
      at.intercept = (_, response) => {
        response.destroy()
        return true
      }
      expect(await logins.end({ server: 'notes' })).toEqual({ ok: true, value: { revoked: false } })
      expect(files()).not.toContain('access_token')
    }))

  test('a call that needs more permissions says which, the login stays valid, and the next login requests both', () => {
    at.challenge = `${challenge}, scope="tools:read"`
    return withLogins({ server: serverAt(at.url) }, async ({ servers, logIn, call, state }) => {
      await servers.ready('notes')
      await logIn('anna')
      await servers.ready('notes')
      expect(await call('write_note', undefined, { text: 'x' })).toMatchObject({
        ...NEEDED,
        problem: { about: { why: 'the server asks for more permissions: `tools:write`' } },
      })
      expect(state()).toBe('ready')
      expect(textOf(await call('read_name'))).toBe('anna')
      await logIn('anna')
      await servers.ready('notes')
      expect(textOf(await call('write_note', undefined, { text: 'x' }))).toBe('anna wrote x')
      expect(textOf(await call('read_name'))).toBe('anna')
    })
  })

  test('a scope in the configuration is a limit: the server cannot ask for more', () =>
    withLogins(
      { server: serverAt(at.url, { scope: 'tools:read' }) },
      async ({ servers, logIn, browse, call, logins }) => {
        await logIn('anna')
        await servers.ready('notes')
        expect(await call('write_note', undefined, { text: 'x' })).toMatchObject({
          ...NEEDED,
          problem: { about: { why: expect.stringContaining('leaves out') as unknown } },
        })
        await browse('anna')
        const started = await logins.start({ server: 'notes' }, 'user:tester')
        const page = logins.page(started.ok ? started.value.url.slice(-43) : '')
        expect(page).toMatchObject({ ok: true, value: { scope: 'tools:read offline_access' } })
      },
    ))
})

describe('a server where each user logs in', () => {
  const server = () => serverAt(at.url, { per: 'user' })

  test('a call uses the login of its own user and no other', () =>
    withLogins({ server: server() }, async ({ logIn, call }) => {
      await logIn('anna', 'user-a')
      await logIn('bert', 'user-b')
      const [a, b] = await Promise.all([call('read_name', 'user-a'), call('read_name', 'user-b')])
      expect([a, b].map(textOf)).toEqual(['anna', 'bert'])
      expect(await call('read_name', 'user-c')).toMatchObject(NEEDED)
      expect(await call('read_name')).toMatchObject(NEEDED)
      expect(await call('read_name', 'USER-A')).toMatchObject(NEEDED)
    }))

  test('a user without a login gets the address to open, the same one as long as it is valid', () =>
    withLogins({ server: server() }, async ({ call, logins }) => {
      const answers = await Promise.all([call('read_name', 'user-a'), call('read_name', 'user-a')])
      const urls = answers.map((answer) => (answer.is === 'not_sent' ? answer.problem.about['url'] : undefined))
      expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:7999\/oauth\/login\/[\w-]{43}$/)
      expect(urls[1]).toBe(urls[0])
      expect(logins.page(urls[0]?.slice(-43) ?? '')).toMatchObject({ ok: true, value: { user: 'user-a' } })
    }))

  test("the gate's own login only lists the tools; no user's call uses it", () =>
    withLogins({ server: server() }, async ({ logIn, servers, call, listed }) => {
      await logIn('admin')
      await servers.ready('notes')
      expect(listed).toContain('read_name')
      expect(await call('read_name', 'user-a')).toMatchObject(NEEDED)
      expect(servers.offers()).toEqual([])
    }))

  test("a user's logout ends their connection and nobody else's", () =>
    withLogins({ server: server() }, async ({ logIn, logins, call }) => {
      await logIn('anna', 'user-a')
      await logIn('bert', 'user-b')
      await call('read_name', 'user-a')
      await logins.end({ server: 'notes', user: 'user-a' })
      expect(await call('read_name', 'user-a')).toMatchObject(NEEDED)
      expect(textOf(await call('read_name', 'user-b'))).toBe('bert')
    }))
})
