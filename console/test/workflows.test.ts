import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, openConsole, type Console } from './with-console.ts'
import { COURIER } from './courier.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)

const MARKUP = '<img src=x onerror="window.hit=1">'
/** Every node of the graph is inside its visible area. */
const NODES_IN_VIEW = `(() => {
  const pane = document.querySelector('.graph').getBoundingClientRect()
  const nodes = [...document.querySelectorAll('.step-node')].map((node) => node.getBoundingClientRect())
  return nodes.length > 0 && nodes.every((node) =>
    node.left >= pane.left - 1 && node.right <= pane.right + 1 && node.top >= pane.top - 1 && node.bottom <= pane.bottom + 1)
})()`
const SHOTS = process.env['SLUICE_SHOTS']

describe.skipIf(CHROMIUM === undefined)('workflows in a browser', () => {
  let app: Console
  beforeAll(async () => {
    app = await openConsole()
    for (const text of ['Statements are ready', `Statements are ready ${MARKUP}`]) {
      const applied = await app.gate.http('POST', '/v1/workflows', app.gate.keys.admin, { document: COURIER(text) })
      expect(applied.status, JSON.stringify(applied.body)).toBe(200)
    }
  }, 120_000)
  afterAll(() => app.close(), 60_000)

  const shot = async (page: Page, name: string) => {
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name}.png`) })
  }
  const start = async () => {
    const started = await app.gate.http('POST', '/v1/workflows/courier/runs', app.gate.keys.admin, { input: {} })
    expect(started.status, JSON.stringify(started.body)).toBe(202)
    return String(started.body['run_id'])
  }

  test('a run is drawn while it waits, and the open page follows it when it continues; a version is compared and rolled back to', async () => {
    await start()
    const page = await app.open(app.gate.keys.admin)
    await page.getByRole('link', { name: 'Workflows' }).first().click()
    await page.getByRole('heading', { name: 'courier' }).waitFor()
    await page.getByText('manual.v1').waitFor()
    await shot(page, 'workflows')
    await page.getByRole('link', { name: 'courier' }).click()
    const steps = page.getByRole('list', { name: 'Steps' })
    await steps.getByText('tool, waits here').waitFor()
    await page.getByText('It is waiting for approval.').waitFor()
    await page.locator('.step-node.waits').waitFor()
    await shot(page, 'workflow')

    // Somebody else decides, and the page is updated.
    const { body } = await app.gate.http('GET', '/v1/approvals?state=pending', app.gate.keys.admin)
    const [held] = (body['items'] ?? []) as { approval_id: string; digest: string }[]
    const approved = await app.gate.http('POST', `/v1/approvals/${held?.approval_id}/decide`, app.gate.keys.priya, {
      decision: 'approve',
      digest: held?.digest,
    })
    expect(approved.status, JSON.stringify(approved.body)).toBe(200)
    await steps.getByText('persist, done').waitFor()
    await page.getByText('It is waiting for approval.').waitFor({ state: 'detached' })

    await page.getByText('What version 2 changed').waitFor()
    await page.locator('.lines .add', { hasText: '<img src=x' }).waitFor()
    await page.getByRole('button', { name: /^Version 1\b/ }).click()
    await page.getByRole('button', { name: 'The whole text' }).click()
    await page.getByLabel('Text of version 1').getByText('apiVersion: gosuto/v1').waitFor()
    await page.getByRole('button', { name: 'Roll back to version 1 …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll back to version 1' })
    await shot(page, 'workflow-rollback')
    // The harmless button has the first focus.
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Cancel')
    await dialog.getByRole('button', { name: 'Put version 3 in force' }).click()
    await page.getByText('version 3 in force').waitFor()
    await page.getByText('text of version 1').waitFor()

    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => page.evaluate(NODES_IN_VIEW)).toBe(true)
    await shot(page, 'workflow-phone')
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(complaints).toEqual([])
  })

  test('somebody who may not change documents sees them without a way to roll back', async () => {
    const page = await app.open(app.gate.keys.priya)
    await page.goto(`${page.url().replace(/#.*$/, '')}#/workflows/courier`)
    await page.getByRole('button', { name: /^Version 1\b/ }).click()
    await page.getByText('What version 1 changed').waitFor()
    expect(await page.getByRole('button', { name: /Roll back/ }).count()).toBe(0)
  })
})
