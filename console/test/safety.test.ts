import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, held, openConsole, openPacket, stateOf, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

describe.skipIf(CHROMIUM === undefined || !WHOLE)('what must never happen', () => {
  let app: Console
  beforeAll(async () => {
    app = await openConsole()
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  const post = (text: string, thread?: string) =>
    held(app.gate, 'status-agent', 'chat__post', { channel: '#ops-status', text }, thread)

  test('nothing says “Approved” before the gate has confirmed it', async () => {
    const { gate } = app
    const id = await post('slow')
    const page = await app.open(gate.keys.mara)
    await openPacket(page, gate, id)
    // The gate is suspended: it has the request and does not answer.
    gate.process.kill('SIGSTOP')
    await page.locator('.approve').click()
    await page.locator('.approve[aria-busy=true]').waitFor()
    // Time in which an optimistic page would already show it.
    await page.waitForTimeout(1_000)
    expect(await page.getByText('Approved.').count()).toBe(0)
    expect(await page.locator('.decide .btn[aria-disabled=true]').count()).toBeGreaterThan(2)
    gate.process.kill('SIGCONT')
    await page.getByText('Approved.').first().waitFor({ timeout: 30_000 })
    expect(await stateOf(gate, id)).toMatch(/^(?:approved|consumed)$/)
    await page.context().close()
  })

  test('a tool changes while a request is open: the approval is rejected, and both versions are shown', async () => {
    const { gate } = app
    const id = await held(gate, 'sales-helper', 'crm__update_deal', { deal: 'Quay', stage: 'won' })
    const page = await app.open(gate.keys.mara)
    await openPacket(page, gate, id)
    const before = (await gate.http('GET', `/v1/approvals/${id}`, gate.keys.mara)).body['digest']
    const file = join(gate.folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as { servers: Record<string, object> }
    const crm = { ...config.servers['crm'], env: { HOSTILE_TEXT: 'now it also deletes the deal' } }
    writeFileSync(file, JSON.stringify({ ...config, servers: { ...config.servers, crm } }))
    await expect
      .poll(async () => (await gate.http('GET', `/v1/approvals/${id}`, gate.keys.mara)).body['digest'], {
        timeout: 60_000,
      })
      .not.toBe(before)
    await page.locator('.approve').click()
    const note = page.locator('.note', { hasText: 'This changed while you were reading' })
    await note.waitFor()
    for (const button of await page.locator('.decide .btn').all())
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await stateOf(gate, id)).toBe('pending')
    await page.getByRole('button', { name: /Read the new/ }).click()
    await page.getByText('now it also deletes the deal').first().waitFor()
    await page.context().close()
  }, 120_000)

  test('a batch contains only similar requests, and unusual ones are not preselected', async () => {
    const { gate } = app
    const same = [await post('batch one', 'b'), await post('batch two', 'b')]
    const otherThread = await post('batch three', 'c')
    const strong = [4_001, 4_002].map((amount) =>
      held(
        gate,
        'ledger-bot',
        'bank__pay',
        { amount, currency: 'EUR', recipient: 'A', iban: 'DE02120300000000202051' },
        'b',
      ),
    )
    const pays = await Promise.all(strong)
    const page = await app.open(gate.keys.mara)
    await page.goto(`${gate.url}/#/batch/${same[0]}`)
    await page.getByText('2 of 2 selected').first().waitFor()
    expect(await page.locator(`#pick-${otherThread}`).count()).toBe(0)
    for (const pay of pays) {
      expect(await page.locator(`#pick-${pay}`).count()).toBe(0)
      await page.locator(`[data-row="${pay}"]`).waitFor()
    }
    await page.context().close()
  })

  test('two tabs of one person race on one approval: one decides, the other is informed and changes nothing', async () => {
    const { gate } = app
    const id = await post('two tabs')
    const first = await app.open(gate.keys.mara)
    const second = await first.context().newPage()
    await openPacket(first, gate, id)
    await openPacket(second, gate, id)
    await Promise.all([first.locator('.approve').click(), second.locator('.deny').first().click()])
    await expect.poll(() => stateOf(gate, id)).toMatch(/^(?:approved|consumed)$/)
    // The second tab was asked for a reason meanwhile: its denial is too late, and the page says so.
    await second.keyboard.press('Enter')
    await second.goto(`${gate.url}/#/approvals/${id}`)
    await second.locator('.note.accent', { hasText: 'approved it' }).waitFor()
    expect(await stateOf(gate, id)).toMatch(/^(?:approved|consumed)$/)
    await first.context().close()
  })

  test('after the event stream was reset, nothing can be decided before everything was loaded again', async () => {
    const { gate } = app
    const id = await post('reset')
    const page = await app.open(gate.keys.mara)
    await openPacket(page, gate, id)
    const start = await gate.kill()
    await page.locator('.banner.lost').waitFor()
    await page.keyboard.press('a')
    await start()
    // The new process does not know the old position in the stream, so it sends `reset`.
    await expect.poll(() => page.locator('.live').first().textContent(), { timeout: 60_000 }).toBe('live')
    await expect.poll(() => page.locator('.approve').getAttribute('aria-disabled')).toBeNull()
    expect(await stateOf(gate, id)).toBe('pending')
    await page.context().close()
  }, 120_000)

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
