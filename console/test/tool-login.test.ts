import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, openConsole, refusedIn, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
const SERVER = resolve(import.meta.dirname, '../../server/src/guests/server-logins/test/serve-protected.suite.ts')

type Protected = { readonly url: string; readonly issuer: string; readonly process: ChildProcess }

/** A tool server that accepts only tokens of its own authorization server, both in separate processes. */
async function startProtectedProcess(): Promise<Protected> {
  const child = spawn(process.execPath, [SERVER], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { ...(JSON.parse(line) as { url: string; issuer: string }), process: child }
}

describe.skipIf(CHROMIUM === undefined || !WHOLE)('logging in at a tool server from the Tools page', () => {
  let app: Console
  let notes: Protected
  beforeAll(async () => {
    notes = await startProtectedProcess()
    // The server that needs a login is the only one: the page must offer it although the gate has no tools yet.
    app = await openConsole((config) => ({ ...config, servers: { notes: { url: notes.url, trusted: true } } }))
  }, 120_000)
  afterAll(async () => {
    await app.close()
    notes.process.kill()
  })

  const loginPart = (page: Page) => page.getByRole('region', { name: 'Server notes' })
  const serverState = async () => {
    const { body } = await app.gate.http('GET', '/v1/servers', app.gate.keys.admin)
    return (body['items'] as { state: string }[])[0]?.state
  }

  test('an approver reads that an admin has to log in', async () => {
    const page = await app.open(app.gate.keys.mara)
    const refused = refusedIn(page)
    await page.goto(`${app.gate.url}/#/tools`)
    await loginPart(page).getByText('An admin has to log in at this server.').waitFor()
    expect(await loginPart(page).getByRole('button').count()).toBe(0)
    expect(refused).toEqual([])
    await page.context().close()
  })

  test('an admin logs in at the other side’s page in a separate tab, the tools appear, and logging out removes them', async () => {
    const page = await app.open(app.gate.keys.admin)
    await page.goto(`${app.gate.url}/#/tools`)
    const part = loginPart(page)
    await part.getByText('needs a login').waitFor()
    await part.getByRole('button', { name: 'Log in …' }).click()
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      part.getByRole('link', { name: 'Open the login page' }).click(),
    ])
    tab.setDefaultTimeout(60_000)
    // The gate's own page says where the person is going before it sends them there.
    await tab.locator('#continue').click()
    await expect.poll(() => new URL(tab.url()).origin).toBe(notes.issuer)
    expect(await tab.evaluate('window.opener')).toBeNull()
    await tab.fill('input[name=login]', 'mara')
    await tab.fill('input[name=password]', 'any')
    await tab.locator('button[type=submit]').click()
    await tab.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
    await tab.locator('button[type=submit]').click()
    await expect.poll(() => new URL(tab.url()).origin).toBe(app.gate.url)
    // The first page updates by itself.
    await part.getByText(`Logged in at ${notes.issuer}`).waitFor({ timeout: 60_000 })
    await page.getByText('notes__read_name').first().waitFor({ timeout: 60_000 })
    await expect.poll(serverState, { timeout: 60_000 }).toBe('ready')
    // Nothing of the login is on the page: no code, no token, no address with either.
    expect(await page.content()).not.toMatch(/code=|access_token|code_verifier/)
    await part.getByRole('button', { name: 'Log out' }).click()
    await expect.poll(serverState, { timeout: 60_000 }).toBe('needs_login')
    await part.getByRole('button', { name: 'Log in …' }).waitFor({ timeout: 60_000 })
    await page.context().close()
  }, 180_000)

  test('a login that the person refuses changes nothing, and says so', async () => {
    const page = await app.open(app.gate.keys.admin)
    await page.goto(`${app.gate.url}/#/tools`)
    const part = loginPart(page)
    await part.getByRole('button', { name: 'Log in …' }).click()
    const link = part.getByRole('link', { name: 'Open the login page' })
    await link.waitFor()
    // An address that is not the end of this login is rejected with a message beside the field.
    await part.getByLabel(/paste the address/).fill(`${app.gate.url}/oauth/callback?code=made-up&state=made-up`)
    await part.getByRole('button', { name: 'Finish' }).click()
    await part.getByRole('alert').waitFor()
    expect(await part.getByRole('alert').textContent()).toContain('Nothing was changed')
    await expect.poll(serverState, { timeout: 60_000 }).toBe('needs_login')
    await page.context().close()
  })

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
