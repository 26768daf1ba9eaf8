import { join, resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { COURIER } from './courier.ts'
import { askAsNode } from './node-request.ts'
import { seed } from './office-gate.ts'
import { openConsole, refusedIn, type Console } from './with-console.ts'

const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
if (CHROMIUM === undefined) console.warn(SKIPPED)

const STARTING = resolve(import.meta.dirname, '../tool-servers/starting.ts')
const PAGES = [
  '',
  'overview',
  'activity',
  'chat',
  'chat/new',
  'runs',
  'workflows',
  'workflows/courier',
  'flows',
  'tools',
  'tools?tool=mail__send',
  'policy',
  'consents',
  'audit',
  'nodes',
  'settings',
  'more',
]

/** What changes something for good is left alone; everything else that can be clicked is clicked. */
const LEFT_ALONE = /log out|^(?:approve|deny|send|revoke|remove|delete|pause everything$|resume$|export)/i
const MOST_CLICKS = 60
const IS_STILL = `document.querySelector('main .skeleton, [aria-busy=true]') === null`

describe.skipIf(CHROMIUM === undefined || !WHOLE)('in ordinary use no request of the console is refused', () => {
  let app: Console
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    app = await openConsole((config) => ({
      ...config,
      servers: {
        ...config.servers,
        post: { command: 'node', args: [STARTING, 'complains', join('/nowhere', 'mended')] },
      },
    }))
    const { gate } = app
    const ids = await seed(gate)
    await askAsNode(gate, 'berlin-1', ids['post'] ?? '')
    await gate.http('POST', '/v1/workflows', gate.keys.admin, { document: COURIER('Mail has come in') })
    await gate.http('POST', '/v1/workflows/courier/runs', gate.keys.admin, { input: {} })
    await gate.approve(ids['deal'], gate.keys.mara, { remember: { calls: 10, expires_in_s: 3_600 } })
    keys['admin'] = gate.keys.admin
    keys['approver'] = gate.keys.mara
    for (const kind of ['reviewer', 'user']) keys[kind] = await gate.key(kind, kind)
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  test('logged out', async () => {
    const context = await app.browser.newContext()
    const page = await context.newPage()
    const refused = refusedIn(page)
    await page.goto(app.gate.url)
    await page.locator('#key').waitFor()
    expect(refused).toEqual([])
    await context.close()
  })

  test.each(['admin', 'approver', 'reviewer', 'user'])(
    'as %s, on every page, with every button',
    async (kind) => {
      const page = await app.open(keys[kind] ?? '', { viewport: { width: 1280, height: 900 } })
      const refused = refusedIn(page)
      for (const path of PAGES) await clickAll(page, `${app.gate.url}/#/${path}`)
      expect(refused).toEqual([])
      await page.context().close()
    },
    400_000,
  )
})

async function clickAll(page: Page, address: string): Promise<void> {
  await page.goto(address)
  const still = () => expect.poll(() => page.evaluate(IS_STILL), { timeout: 30_000 }).toBe(true)
  // Controls that have just changed are inactive for 400 ms.
  await page.waitForTimeout(450)
  await still()
  const done = new Set<string>()
  for (let clicks = 0; clicks < MOST_CLICKS; clicks += 1) {
    const next = await nextButton(page, done)
    if (next === undefined) return
    await next.click({ timeout: 5_000 }).catch(() => undefined)
    await still()
    const dialog = page.locator('dialog[open]')
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape')
    if (page.url() !== address) await page.goto(address)
    await still()
  }
}

type Named = { getAttribute(name: string): string | null; readonly textContent: string | null }

/** A button that was not clicked yet. Many with the same name do the same. */
async function nextButton(page: Page, done: Set<string>): Promise<Locator | undefined> {
  for (const button of await page.locator('main button:visible:not([aria-disabled=true])').all()) {
    const name = await button
      .evaluate((element: Named) => element.getAttribute('aria-label') ?? element.textContent, undefined, {
        timeout: 1_000,
      })
      .catch(() => null)
    const says = name?.trim() ?? ''
    if (name === null || done.has(says) || LEFT_ALONE.test(says)) continue
    done.add(says)
    return button
  }
  return undefined
}
