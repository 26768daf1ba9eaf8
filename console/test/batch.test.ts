import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, held, openConsole, settled, stateOf, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)

const DECIDED = /^(?:approved|consumed)$/
const QUARTER = { subject: 'Q3 numbers', body: 'Please treat them as confidential until Thursday.' }

describe.skipIf(CHROMIUM === undefined)('several strong requests in a browser', () => {
  let app: Console
  let page: Page
  beforeAll(async () => {
    app = await openConsole((config) => ({
      ...config,
      policy: {
        ...config.policy,
        rules: config.policy.rules.map((rule) => (rule.id === 'mail.outside' ? { ...rule, strength: 'strong' } : rule)),
      },
    }))
    page = await app.open(app.gate.keys.mara)
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  const mail = (thread: string, to: string, more: object = {}) =>
    held(app.gate, 'mail-assistant', 'mail__send', { to: [to], ...QUARTER, ...more }, thread)
  const three = async (thread: string) => [
    await mail(thread, 'board@example.com', { attachments: ['q3.pdf'] }),
    await mail(thread, 'joe@example.com', { attachments: ['q3.pdf'] }),
    await mail(thread, 'joe@exarnple.com', { attachments: ['q3.pdf', 'payroll.xlsx'], bcc: ['eve@ext.example'] }),
  ]
  const openBatch = async (id: string | undefined) => {
    await page.goto(`${app.gate.url}/#/batch/${id ?? ''}`)
    await page.reload()
    await page.locator('.batch-rows > li').nth(2).waitFor()
    await settled(page)
  }
  const typeIn = (id: string | undefined, text: string) => page.fill(`#typed-${id ?? ''}`, text)
  const states = async (ids: readonly string[]) => Promise.all(ids.map((id) => stateOf(app.gate, id)))

  test('only those are approved whose recipients were typed, and every recipient is named', async () => {
    const ids = await three('quarter')
    const [first, second, third] = ids
    await openBatch(first)
    const title = (await page.locator('h2.sentence').textContent()) ?? ''
    for (const named of ['board@example.com', 'joe@example.com', 'joe@exarnple.com', 'eve@ext.example', 'payroll.xlsx'])
      expect(title).toContain(named)
    const row = page.locator(`[data-row="${first ?? ''}"]`)
    expect(await row.textContent()).toContain('eve@ext.example')
    // What the three have in common is said once; the rest in its row.
    const rows = page.locator('.batch-rows > li')
    expect(await rows.nth(2).textContent()).toMatch(/attachments.*payroll\.xlsx/s)
    expect(await rows.nth(2).locator('mark').allTextContents()).toContain('rn')
    expect(await rows.first().textContent()).not.toContain(QUARTER.body)
    expect(await page.getByText(QUARTER.body).count()).toBe(1)

    const approve = page.locator('.approve')
    // A key goes to the field and never decides; neither does Enter, nor the words of another row.
    await page.keyboard.press('a')
    expect(await page.evaluate('document.activeElement?.id')).toBe(`typed-${first ?? ''}`)
    await page.keyboard.type('board@example.com')
    await page.keyboard.press('Enter')
    await typeIn(second, 'board@example.com')
    await typeIn(third, 'joe@example.com')
    await page.getByText('1 of 3 typed.').waitFor()
    expect(await states(ids)).toEqual(['pending', 'pending', 'pending'])
    await approve.click()
    await expect.poll(() => stateOf(app.gate, first ?? '')).toMatch(DECIDED)
    await page.getByText('0 of 2 typed.').waitFor()
    expect(await states(ids.slice(1))).toEqual(['pending', 'pending'])
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    // Of the third, the blind copy has to be typed too.
    await typeIn(third, 'joe@exarnple.com')
    await page.getByText('0 of 2 typed.').waitFor()
    await typeIn(third, 'joe@exarnple.com, eve@ext.example')
    await typeIn(second, 'joe@example.com')
    await page.getByText('2 of 2 typed.').waitFor()
    await settled(page)
    await approve.click()
    for (const id of ids) await expect.poll(() => stateOf(app.gate, id)).toMatch(DECIDED)
    await page.locator('.toast', { hasText: 'Approved 2 calls. 2 ran.' }).waitFor()
  })

  test('a request that comes after the page was drawn is not decided with it', async () => {
    const ids = await three('late')
    await openBatch(ids[0])
    const late = await mail('late', 'joe@example.com', { attachments: ['q3.pdf'] })
    await page.getByText('1 similar request arrived since.').waitFor()
    expect(await page.locator('.batch-rows > li').count()).toBe(3)
    for (const [at, to] of ['board@example.com', 'joe@example.com', 'joe@exarnple.com, eve@ext.example'].entries())
      await typeIn(ids[at], to)
    await page.getByText('3 of 3 typed.').waitFor()
    await page.locator('.approve').click()
    for (const id of ids) await expect.poll(() => stateOf(app.gate, id)).toMatch(DECIDED)
    expect(await stateOf(app.gate, late)).toBe('pending')
  })

  test('denying asks for the reason, for one and for all', async () => {
    const ids = await three('no')
    await openBatch(ids[0])
    await page.locator('.batch-rows > li').nth(1).getByRole('button', { name: /^Deny/ }).click()
    await page.getByText('Deny request 2.').waitFor()
    await page.keyboard.press('Escape')
    expect(await states(ids)).toEqual(['pending', 'pending', 'pending'])
    await page.locator('.batch-rows > li').nth(1).getByRole('button', { name: /^Deny/ }).click()
    await page.keyboard.type('wrong Joe')
    await page.keyboard.press('Enter')
    await expect.poll(() => states(ids)).toEqual(['pending', 'denied', 'pending'])
    await page.getByText('0 of 2 typed.').waitFor()
    await settled(page)
    await page.keyboard.press('d')
    await page.getByText('Deny 2 requests.').waitFor()
    await page.keyboard.type('not before Thursday')
    await page.keyboard.press('Enter')
    await expect.poll(() => states(ids)).toEqual(['denied', 'denied', 'denied'])
    const reasonOf = async (id = '') => {
      const { body } = await app.gate.http('GET', `/v1/approvals/${id}`, app.gate.keys.admin)
      return (body['decisions'] as { reason?: string }[])[0]?.reason
    }
    expect(await Promise.all(ids.map(reasonOf))).toEqual(['not before Thursday', 'wrong Joe', 'not before Thursday'])
  })

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
