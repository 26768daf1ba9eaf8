import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { startIssuer, type Issuer } from './issuer.ts'
import { openConsole, type Console } from './with-console.ts'
import { freePort } from '../../server/test/free-port.ts'
import { logInAs as walkThrough } from '../../server/src/guests/server-logins/test/person.suite.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

describe.skipIf(CHROMIUM === undefined || !WHOLE)('logging in with an issuer', () => {
  let issuer: Issuer
  let app: Console
  beforeAll(async () => {
    const port = await freePort()
    const redirect_uri = `http://127.0.0.1:${port}/v1/login/oidc/callback`
    issuer = await startIssuer(() => [{ client_id: 'console', client_secret: 'a secret: with signs', redirect_uri }])
    process.env['OIDC_TEST_SECRET'] = 'a secret: with signs'
    app = await openConsole(
      (config) => ({
        ...config,
        auth: {
          oidc: [
            {
              name: 'corp',
              issuer: issuer.url,
              audience: 'sluice',
              people_clients: [],
              kinds: [
                { claim: 'groups', has: 'approvers', kind: 'approver' },
                { claim: 'groups', has: 'robots', kind: 'agent' },
              ],
              login: { client_id: 'console', client_secret: 'env:OIDC_TEST_SECRET' },
            },
            {
              name: 'tokens',
              issuer: 'https://id.example',
              audience: 'x',
              people_clients: [],
              kinds: [{ claim: 'a', has: 'b', kind: 'user' }],
            },
          ],
        },
      }),
      port,
    )
  }, 120_000)
  afterAll(async () => {
    delete process.env['OIDC_TEST_SECRET']
    await app.close()
    await issuer.stop()
  })

  const visit = async (): Promise<Page> => {
    const context = await app.browser.newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(app.gate.url)
    return page
  }
  const logInAs = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Log in with corp' }).click()
    await page.fill('input[name=login]', name)
    await page.fill('input[name=password]', 'anything')
    await page.getByRole('button', { name: /sign-in/i }).click()
    await page.getByRole('button', { name: /continue/i }).click()
  }

  test('a person logs in at the issuer and comes back as an approver, and no token is in the browser', async () => {
    const page = await visit()
    // An issuer of accepted tokens is offered for logging in only if it is configured for that.
    await expect.poll(() => page.locator('.login-others button').count()).toBe(1)
    await logInAs(page, 'ana.approvers')
    await page.waitForSelector('.shell')
    expect(page.url().replace(/#.*/, '')).toBe(`${app.gate.url}/`)
    await page.locator('.me', { hasText: 'ana.approvers' }).waitFor()
    const me = await page.evaluate("fetch('/v1/login').then((answer) => answer.json())")
    expect(me).toMatchObject({ how: 'oidc', caller: { kind: 'approver', id: 'approver:corp/ana.approvers' } })
    const [asked] = issuer.tokenRequests
    expect(asked?.authorization).toMatch(/^Basic /)
    expect(asked?.form).toMatch(/code_verifier=[\w-]{43}/)
    const cookies = await page.context().cookies(app.gate.url)
    expect(cookies.map(({ name, httpOnly, sameSite }) => [name.replace(/_\d+$/, ''), httpOnly, sameSite])).toEqual([
      ['sluice_login', true, 'Strict'],
    ])
    expect(String(await page.evaluate('JSON.stringify([{ ...localStorage }, location.href])'))).not.toContain('code=')
    await page.context().close()
  })

  test('a person without a mapping is not logged in and sees the reason', async () => {
    for (const [name, words] of [
      ['bob.nobody', 'no role is configured'],
      ['r2.robots', 'may not do that'],
    ] as const) {
      const page = await visit()
      await logInAs(page, name)
      await page.getByText(words).waitFor()
      await page.locator('#key').waitFor()
      await page.context().close()
    }
  })

  test('a login response that this browser did not request logs nobody in', async () => {
    const victim = await visit()
    // The attacker starts a login and sends the victim the final redirect.
    await victim.goto(`${app.gate.url}/v1/login/oidc/callback?code=stolen&state=theirs`)
    await victim.getByText('this browser did not begin this login', { exact: false }).waitFor()
    expect(victim.url()).toBe(`${app.gate.url}/`)
    await victim.getByRole('button', { name: 'Log in with corp' }).click()
    await victim.waitForURL(/localhost/)
    const asked = issuer.tokenRequests.length
    await victim.goto(await comingBack('eve.approvers'))
    await victim.getByText('this browser did not begin this login', { exact: false }).waitFor()
    expect((await victim.context().cookies(app.gate.url)).map(({ name }) => name)).toEqual([])
    expect(issuer.tokenRequests.length).toBe(asked)
    await victim.context().close()
  })

  test('what another port sets as cookies completes no login and replaces nobody', async () => {
    const port = await otherPort()
    const ana = await visit()
    await logInAs(ana, 'ana.approvers')
    await ana.waitForSelector('.shell')
    const back = await comingBack('eve.approvers')
    await ana.goto(`${port.url}/?set=${encodeURIComponent(`sluice_oidc_${new URL(app.gate.url).port}=x; Path=/`)}`)
    await ana.goto(back)
    await ana.getByText('this browser did not begin this login', { exact: false }).waitFor()
    await ana.goto(app.gate.url)
    await ana.locator('.me', { hasText: 'ana.approvers' }).waitFor()

    // The attacker's own session, set as a cookie: the open page does not read for somebody else, and a new one asks.
    const eve = await visit()
    await logInAs(eve, 'eve.approvers')
    await eve.waitForSelector('.shell')
    const [login] = await eve.context().cookies(app.gate.url)
    const tab = await ana.context().newPage()
    await tab.goto(`${port.url}/?set=${encodeURIComponent(`${login?.name}=${login?.value}; Path=/`)}`)
    await ana.getByRole('link', { name: 'Activity' }).first().click()
    for (const page of [ana, tab]) {
      if (page === tab) await page.goto(app.gate.url)
      await page.getByRole('heading', { name: 'This browser is logged in as eve.approvers' }).waitFor()
      await page.getByText('you logged in as ana.approvers').waitFor()
    }
    await tab.getByRole('button', { name: 'Log out eve.approvers' }).click()
    await tab.locator('#key').waitFor()
    expect((await tab.context().cookies(app.gate.url)).map(({ name }) => name)).not.toContain(login?.name)
    await Promise.all([ana.context().close(), eve.context().close(), port.close()])
  })

  test('a login as somebody else has to be confirmed, with both names', async () => {
    const page = await visit()
    await logInAs(page, 'ana.approvers')
    await page.waitForSelector('.shell')
    const login = (await page.context().cookies(app.gate.url)).map(({ value }) => value)
    const late = await page.context().newPage()
    // A page that was opened before somebody logged in still shows the login.
    await late.goto(app.gate.url)
    await late.evaluate(`fetch('/v1/login/oidc', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ issuer: 'corp', browser: localStorage.getItem('sluice.browser') }),
    }).then((answer) => answer.json()).then(({ url }) => location.assign(url + '&prompt=login'))`)
    await late.fill('input[name=login]', 'eve.approvers')
    await late.fill('input[name=password]', 'anything')
    await late.getByRole('button', { name: /sign-in/i }).click()
    await late.getByRole('button', { name: /continue/i }).click()
    await late.getByRole('heading', { name: 'You are still logged in as ana.approvers' }).waitFor()
    await late.getByText('Now a login as eve.approvers was completed').waitFor()
    expect((await page.context().cookies(app.gate.url)).map(({ value }) => value)).toEqual(login)
    await late.getByRole('button', { name: 'Stay logged in as ana.approvers' }).click()
    await late.locator('.me', { hasText: 'ana.approvers' }).waitFor()
    await page.context().close()
  })

  test('logins that the gate did not begin, and many that it did, keep nobody out', async () => {
    const asked = issuer.tokenRequests.length
    const callback = (body: object) =>
      fetch(`${app.gate.url}/v1/login/oidc/callback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((answer) => answer.json())
    const browser = 'e'.repeat(43)
    const forged = { browser, state: `corp.${'a'.repeat(75)}`, code: 'x' }
    const genuine = { browser, state: await stateFor(browser), code: 'x' }
    const codes = new Set<unknown>()
    const sent = { forged: 0, genuine: 0 }
    const over = new AbortController()
    const flood = (kind: keyof typeof sent, body: object) =>
      Array.from({ length: 16 }, async () => {
        while (!over.signal.aborted) {
          codes.add(((await callback(body)) as { code?: unknown }).code)
          sent[kind] += 1
        }
      })
    const attack = flood('forged', forged)
    try {
      await expect.poll(() => sent.forged).toBeGreaterThan(100)
      expect(issuer.tokenRequests.length).toBe(asked)
      attack.push(...flood('genuine', genuine))
      await expect.poll(() => sent.genuine).toBeGreaterThan(50)
      for (const name of ['ana.approvers', 'ben.approvers']) {
        const page = await visit()
        await logInAs(page, name)
        await page.locator('.me', { hasText: name }).waitFor()
        await page.context().close()
      }
    } finally {
      over.abort()
      await Promise.all(attack)
    }
    expect(codes).toEqual(new Set(['auth.login_unknown', 'auth.login_failed']))
  })

  async function stateFor(browser: string): Promise<string> {
    return new URL(await begun(browser)).searchParams.get('state') ?? ''
  }

  async function begun(browser: string): Promise<string> {
    const answer = await fetch(`${app.gate.url}/v1/login/oidc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ issuer: 'corp', browser }),
    })
    return ((await answer.json()) as { readonly url: string }).url
  }

  /** The address that an attacker's own login ends at, with a code that was not used. */
  async function comingBack(name: string): Promise<string> {
    const ended = await walkThrough(name, await begun('e'.repeat(43)), (url) => url.pathname.endsWith('/callback'))
    return ended.url
  }
})

/** Another program on this machine: it sets whatever cookies it is asked for, and browsers send them to every port. */
async function otherPort(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const set = new URL(request.url ?? '/', 'http://other').searchParams.getAll('set')
    response.writeHead(200, { 'set-cookie': set, 'content-type': 'text/html' }).end('another program')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
