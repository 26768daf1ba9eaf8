import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { askAsNode } from './node-request.ts'
import { complaints, held, openConsole, openPacket, stateOf, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

describe.skipIf(CHROMIUM === undefined || !WHOLE)('the page of nodes', () => {
  let app: Console
  beforeAll(async () => {
    app = await openConsole()
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  test('shows each node and its waiting calls; a click opens the request, where it is decided', async () => {
    const { gate } = app
    await gate.key('node', 'lisbon-2')
    const own = await held(gate, 'status-agent', 'chat__post', { channel: '#ops', text: 'As agreed.' })
    await askAsNode(gate, 'berlin-1', own)
    const page = await app.open(gate.keys.admin)
    await page.goto(`${gate.url}/#/nodes`)
    const card = page.getByRole('region', { name: 'Node berlin-1' })
    await expect.poll(() => card.textContent()).toContain('1 pending request')
    expect(await card.textContent()).toContain('agent:writer for ana')
    expect(await page.getByRole('region', { name: 'Node lisbon-2' }).textContent()).toContain('Not seen since')
    if (process.env['SLUICE_SHOT'] !== undefined) await page.screenshot({ path: process.env['SLUICE_SHOT'] })
    await card.getByRole('link').click()
    await expect.poll(() => page.url()).toContain('#/approvals/auth_')
    const id = page.url().split('/').at(-1) ?? ''
    await openPacket(page, gate, id)
    expect(await page.locator('main').textContent()).toContain('berlin-1')
    if (process.env['SLUICE_SHOT'] !== undefined) await page.screenshot({ path: `${process.env['SLUICE_SHOT']}.2.png` })
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click()
    await expect.poll(() => stateOf(gate, id)).toBe('approved')
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
