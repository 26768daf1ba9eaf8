import { join, resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { bundleOf, ON, setFlowPolicy } from '../../server/src/guests/flows/test/flow-samples.suite.ts'
import { COURIER } from './courier.ts'
import { askAsNode } from './node-request.ts'
import { seed } from './office-gate.ts'
import { openConsole, refusedIn, type Console } from './with-console.ts'

const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
if (CHROMIUM === undefined) console.warn(SKIPPED)

const STARTING = resolve(import.meta.dirname, '../../server/test/tool-servers/starting.ts')
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
/** How many pages of the same kind are opened by their links. */
const MOST_ALIKE = 2
const IS_STILL = `document.querySelector('main .skeleton, [aria-busy=true]') === null`

describe.skipIf(CHROMIUM === undefined || !WHOLE)('in ordinary use no request of the console is refused', () => {
  let app: Console
  const keys: Record<string, string> = {}
  const turnFlows = (on: boolean) => setFlowPolicy(join(app.gate.folder, '.sluice'), on ? ON : {})
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
    await gate.approve(ids['mail'], gate.keys.mara)
    await gate.http('POST', '/v1/calls', gate.keys.mara, { tool: 'mail__list', args: { folder: 'Sent' } })
    const chat = { message: 'list messages' }
    expect((await gate.http('POST', '/agent/run', gate.keys.mara, chat)).status).toBeLessThan(300)
    turnFlows(true)
    const bundle = bundleOf('flow_month_end', [{ job: 'Export the ledger' }, { kind: 'human_review' }])
    expect((await gate.http('POST', '/api/v1/flows/import', gate.keys.admin, bundle)).status).toBe(201)
    const started = { action: 'start', flow_id: 'flow_month_end' }
    expect((await gate.http('POST', '/api/v1/flows/flow_run', gate.keys.admin, started)).status).toBeLessThan(300)
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

  const EVERY = ['admin', 'approver', 'reviewer', 'user'].flatMap((kind) => [
    { kind, at: 'a desktop', flows: 'off', size: { width: 1280, height: 900 } },
    { kind, at: 'a phone', flows: 'on', size: { width: 390, height: 844 } },
  ])
  test.each(EVERY)(
    'as $kind at $at with flows $flows, on every page, with every button, and on the pages that they link to',
    async ({ kind, flows, size }) => {
      turnFlows(flows === 'on')
      const page = await app.open(keys[kind] ?? '', { viewport: size, hasTouch: size.width < 720 })
      const refused = refusedIn(page)
      const alike = new Map<string, number>()
      const linked = new Set<string>()
      for (const path of PAGES) {
        await clickAll(page, `${app.gate.url}/#/${path}`)
        for (const link of await linksIn(page)) {
          const pattern = patternOf(link)
          const seen = alike.get(pattern) ?? 0
          if (linked.has(link) || seen >= MOST_ALIKE) continue
          alike.set(pattern, seen + 1)
          linked.add(link)
        }
      }
      expect(linked.size).toBeGreaterThan(1)
      for (const link of linked) await clickAll(page, `${app.gate.url}/${link}`)
      expect(refused).toEqual([])
      await page.context().close()
    },
    600_000,
  )
})

const linksIn = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(
    `[...document.querySelectorAll('main a')].map(({ hash }) => hash).filter((hash) => hash.startsWith('#/'))`,
  )) as string[]

/** The kind of page: ids and filters do not count. */
const patternOf = (link: string): string =>
  link
    .replace(/\?.*/, '')
    .split('/')
    .map((part, at) => (at > 1 ? 'one' : part))
    .join('/')

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
