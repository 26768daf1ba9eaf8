import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { COURIER } from './courier.ts'
import { askAsNode } from './node-request.ts'
import { complaints, held, openConsole, openPacket, settled, stateOf, type Console } from './with-console.ts'
import { seed } from './office-gate.ts'

const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
if (CHROMIUM === undefined) console.warn(SKIPPED)

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe-core finds on the current page, one line per finding. */
async function faults(page: Page): Promise<readonly string[]> {
  // The page cannot load foreign scripts, so axe-core is injected through the debugger.
  await page.evaluate(axe)
  // Page addresses come after a `#`, which one rule mistakes for anchors on the same page.
  return page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)}, rules: { 'skip-link': { enabled: false } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`)
}

/** Waits until everything was loaded and rendered. Countdown rings never stop moving and do not count. */
const IS_STILL = `document.querySelector('main .skeleton, [aria-busy=true]') === null &&
  document.getAnimations().every(({ effect }) => effect.getComputedTiming().endTime === Infinity)`

const PAGES = [
  '#/',
  '#/activity',
  '#/chat',
  '#/chat/new',
  '#/runs',
  '#/workflows',
  '#/workflows/courier',
  '#/flows',
  '#/tools',
  '#/tools?tool=mail__send',
  '#/policy',
  '#/consents',
  '#/audit',
  '#/nodes',
  '#/overview',
  '#/settings',
  '#/more',
]

describe.skipIf(CHROMIUM === undefined || !WHOLE)('every page', () => {
  let app: Console
  let ids: Record<string, string>
  beforeAll(async () => {
    app = await openConsole()
    const { gate } = app
    ids = await seed(gate)
    await askAsNode(gate, 'berlin-1', ids['post'] ?? '')
    for (const text of ['Mail has come in', 'New invoices have come in'])
      await gate.http('POST', '/v1/workflows', gate.keys.admin, { document: COURIER(text) })
    const started = await gate.http('POST', '/v1/workflows/courier/runs', gate.keys.admin, { input: {} })
    expect(started.status, JSON.stringify(started.body)).toBe(202)
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 360],
  ] as const)(
    'has no fault that axe-core finds, %s at %i px',
    async (colorScheme, width) => {
      const page = await app.open(app.gate.keys.admin, { colorScheme, viewport: { width, height: 900 } })
      const found: Record<string, readonly string[]> = {}
      for (const path of [
        ...PAGES,
        `#/approvals/${ids['pay']}`,
        `#/approvals/${ids['mail']}`,
        `#/batch/${ids['file-north']}`,
      ]) {
        await page.goto(`${app.gate.url}/${path}`)
        await page.waitForTimeout(450)
        await expect.poll(() => page.evaluate(IS_STILL)).toBe(true)
        const faultsHere = await faults(page)
        if (faultsHere.length > 0) found[path] = faultsHere
      }
      expect(found).toEqual({})
      await page.context().close()
    },
    180_000,
  )

  test('the policy page shows the rules, and a draft is tested and linted before it can be applied', async () => {
    const page = await app.open(app.gate.keys.admin)
    await page.goto(`${app.gate.url}/#/policy`)
    await page.getByText('sent messages are kept').first().waitFor()
    await page.getByRole('button', { name: 'Draft' }).click()
    const text = await page.inputValue('#draft')
    await page.fill('#draft', text.replace('effect: block', 'effect: allow'))
    await page.getByText('1 rule changed').waitFor()
    await page.getByText('Judged more loosely').waitFor()
    await page.fill('#draft', 'rules: [{ id: x')
    await page.getByText('This draft cannot be read.').waitFor()
    await page.context().close()
  })

  test('the audit is checked in the page, and a proof of one entry can be saved', async () => {
    const page = await app.open(app.gate.keys.admin)
    await page.goto(`${app.gate.url}/#/audit`)
    await page.getByRole('button', { name: 'Check every hash' }).click()
    await page.getByText('Nothing was changed, removed or inserted.').waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export jsonl' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('audit.jsonl')
    await page.context().close()
  })

  test('a remembered approval is a consent that can be revoked', async () => {
    const { gate } = app
    const id = await held(gate, 'status-agent', 'chat__post', { channel: '#ops-status', text: 'again' }, 'consented')
    const page = await app.open(gate.keys.admin)
    await openPacket(page, gate, id)
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const approve = dialog.getByRole('button', { name: 'Approve and remember' })
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    await page.selectOption('#often', '5')
    await page.selectOption('#span', '28800')
    await page.selectOption('#vary-text', 'any')
    await approve.click()
    await expect.poll(() => stateOf(gate, id)).toMatch(/approved|consumed/)
    expect(
      await gate.call('status-agent', 'chat__post', { channel: '#ops-status', text: 'other' }, 'consented'),
    ).toMatchObject({
      status: 'executed',
    })
    await page.getByText('Approved and remembered.').first().waitFor()
    await page.goto(`${gate.url}/#/consents`)
    await page
      .getByText(/times more/)
      .first()
      .waitFor()
    await page.getByText(/text may have any value; a call with any other argument is still held/).waitFor()
    await page.getByText(/^Given by .* at \d\d:\d\d: 5 calls/).waitFor()
    const later = await app.open(gate.keys.admin)
    await later.clock.setFixedTime(Date.now() + 2 * 86_400_000)
    await later.goto(`${gate.url}/#/consents`)
    await later.getByText(/^Given by .* on \w+, .*, \d\d:\d\d: 5 calls/).waitFor()
    await later.context().close()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No active consents').waitFor()
    await page.context().close()
  })

  test('several that are alike are decided together, each with its own digest', async () => {
    const { gate } = app
    const page = await app.open(gate.keys.mara)
    await page.goto(`${gate.url}/#/batch/${ids['file-north']}`)
    await page.getByText('4 of 4 selected').first().waitFor()
    await page.waitForTimeout(450)
    await page.locator(`#pick-${ids['file-west']}`).uncheck()
    await page.locator('.approve').click()
    for (const name of ['file-north', 'file-south', 'file-east'])
      await expect.poll(() => stateOf(gate, ids[name] ?? '')).toMatch(/approved|consumed/)
    expect(await stateOf(gate, ids['file-west'] ?? '')).toBe('pending')
    await page.context().close()
  })

  test('similar requests are shown as one sentence: three mails to one recipient are confirmed once, each with its own digest', async () => {
    const { gate } = app
    const to = 'orders@vendor.example'
    const mails: string[] = []
    for (const body of ['Order 1', 'Order 2', 'Order 3'])
      mails.push(await held(gate, 'mail-assistant', 'mail__send', { to: [to], subject: 'Order', body }, 'orders'))
    const page = await app.open(gate.keys.priya)
    await page.goto(`${gate.url}/#/batch/${mails[0] ?? ''}`)
    await page.locator('h2.sentence', { hasText: `Send 3 e-mails to ${to}` }).waitFor()
    const all = page.getByRole('button', { name: 'Select all 3' })
    await settled(page)
    if ((await all.count()) > 0) await all.click()
    await page.getByText('3 of 3 selected').first().waitFor()
    if (process.env['SLUICE_SHOTS'] !== undefined)
      await page.screenshot({ path: `${process.env['SLUICE_SHOTS']}/equal-acts.png` })
    if ((await page.locator('#typed').count()) > 0) {
      expect(await page.locator('.approve').getAttribute('aria-disabled')).toBe('true')
      await page.fill('#typed', (await page.locator('.confirm b').textContent()) ?? '')
    }
    await page.locator('.approve').click()
    for (const id of mails) await expect.poll(() => stateOf(gate, id)).toMatch(/approved|consumed/)
    await page.context().close()
  })

  test('two people: the first approval is shown, and only the second runs the call', async () => {
    const { gate } = app
    const id = ids['command'] ?? ''
    const mara = await app.open(gate.keys.mara)
    await openPacket(mara, gate, id)
    await mara.fill('#typed', (await mara.locator('.confirm b').textContent()) ?? '')
    await mara.locator('.approve').click()
    await mara.getByText('Your approval is recorded.').first().waitFor()
    expect(await stateOf(gate, id)).toBe('pending')
    await mara.context().close()
    // Priya cannot approve the request of her own agent.
    const priya = await app.open(gate.keys.priya)
    await openPacket(priya, gate, id)
    await priya.getByText('You made this request yourself').waitFor()
    const admin = await app.open(gate.keys.admin)
    await openPacket(admin, gate, id)
    await admin.fill('#typed', (await admin.locator('.confirm b').textContent()) ?? '')
    await admin.locator('.approve').click()
    await expect.poll(() => stateOf(gate, id)).toMatch(/approved|consumed/)
    await Promise.all([priya.context().close(), admin.context().close()])
  })

  test('a run is drawn, and its journal can be browsed', async () => {
    const { gate } = app
    const page = await app.open(gate.keys.admin)
    await page.goto(`${gate.url}/#/runs`)
    await page.locator('.run-row a').first().click()
    await page.locator('.step-node').first().waitFor()
    await page.getByText('Journal').first().waitFor()
    await page.context().close()
  })

  test('the gate is killed while a page is open: deciding is disabled, and enabled again when the gate is back', async () => {
    const { gate } = app
    const id = ids['mail'] ?? ''
    const page = await app.open(gate.keys.mara)
    await openPacket(page, gate, id)
    const start = await gate.kill()
    await page.locator('.banner.lost').waitFor()
    for (const button of await page.locator('.decide .btn').all())
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await page.locator('h2.sentence').textContent()).toContain('ana@example.com')
    await start()
    await page.locator('.banner.lost').waitFor({ state: 'detached', timeout: 30_000 })
    await expect.poll(() => page.locator('.approve').getAttribute('aria-disabled')).toBeNull()
    await page.locator('.approve').click()
    await expect.poll(() => stateOf(gate, id)).toMatch(/approved|consumed/)
    await page.context().close()
  }, 120_000)

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
