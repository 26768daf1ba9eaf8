import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { startIssuer, type Issuer } from './issuer.ts'
import { openConsole, type Console } from './with-console.ts'
import { freePort } from '../free-port.ts'

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
    await page.getByRole('link', { name: 'Log in with corp' }).click()
    await page.fill('input[name=login]', name)
    await page.fill('input[name=password]', 'anything')
    await page.getByRole('button', { name: /sign-in/i }).click()
    await page.getByRole('button', { name: /continue/i }).click()
  }

  test('a person logs in at the issuer and comes back as an approver, and no token is in the browser', async () => {
    const page = await visit()
    // An issuer of accepted tokens is offered for logging in only if it is configured for that.
    await expect.poll(() => page.locator('.login-others a').count()).toBe(1)
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
      await page.getByRole('link', { name: 'Back to the login' }).click()
      await page.locator('#key').waitFor()
      await page.context().close()
    }
  })

  test('a login response that this browser did not request logs nobody in', async () => {
    const victim = await visit()
    // The attacker starts a login and sends the victim the final redirect.
    await victim.goto(`${app.gate.url}/v1/login/oidc/callback?code=stolen&state=theirs`)
    await victim.getByText('this browser did not begin it').waitFor()
    const attacker = await visit()
    let back = ''
    attacker.on('request', (request) => {
      if (request.url().includes('code=')) back = request.url()
    })
    await logInAs(attacker, 'eve.approvers')
    await attacker.waitForSelector('.shell')
    await expect.poll(() => back).toContain('code=')
    await victim.goto(app.gate.url)
    const begun = await victim.context().request.get(`${app.gate.url}/v1/login/oidc/corp`, { maxRedirects: 0 })
    expect(begun.status()).toBe(302)
    await victim.goto(back)
    await victim.getByText('belongs to another login').waitFor()
    expect((await victim.context().cookies(app.gate.url)).map(({ name }) => name)).toEqual([])
    await Promise.all([victim.context().close(), attacker.context().close()])
  })
})
