import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, held, openConsole, openPacket, settled, stateOf, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

describe.skipIf(CHROMIUM === undefined || !WHOLE)('who is asked, in a browser', () => {
  let app: Console
  beforeAll(async () => {
    app = await openConsole((config) => ({
      ...config,
      approvals: {
        groups: { finance: ['mara', 'priya'], 'on-call': ['root'] },
        routes: [
          {
            id: 'money',
            match: { tool: 'bank__*' },
            group: 'finance',
            people: 2,
            escalation: { after: '15m', to: 'on-call' },
          },
        ],
      },
    }))
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  test('the settings show routes with groups, numbers and escalation, and a delegation is created and ended there', async () => {
    const page = await app.open(app.gate.keys.mara)
    await page.goto(`${app.gate.url}/#/settings`)
    await page.getByText('tool bank__*').waitFor()
    await page.getByText(/2 of finance \(mara, priya\); after 15\D+also on-call/).waitFor()
    await settled(page)
    await page.fill('#delegate-to', 'priya')
    await page.getByRole('button', { name: 'Delegate', exact: true }).click()
    await page.getByText(/decides for mara until/).waitFor()
    const { body } = await app.gate.http('GET', '/v1/delegations', app.gate.keys.admin)
    expect(body['items']).toMatchObject([{ from: 'mara', to: 'priya' }])
    await settled(page)
    await page.getByRole('button', { name: 'End the delegation from mara to priya' }).click()
    await expect.poll(() => page.getByText(/decides for mara until/).count()).toBe(0)
    await page.fill('#delegate-to', 'mara')
    await settled(page)
    await page.getByRole('button', { name: 'Delegate', exact: true }).click()
    await page.getByText('The delegation was not created').waitFor()
    await page.context().close()
  })

  test('the packet says how many of whom must approve, who has, and who is asked later', async () => {
    const { gate } = app
    const payment = { amount: 5, currency: 'EUR', recipient: 'A', iban: 'DE02120300000000202051' }
    const id = await held(gate, 'ledger-bot', 'bank__pay', payment)
    const page = await app.open(gate.keys.priya)
    await openPacket(page, gate, id)
    await page.getByText('2 people of finance must approve; 2 more are needed.').waitFor()
    await page.getByText(/on-call will also be asked from \S+.* on\./).waitFor()
    expect((await gate.approve(id, gate.keys.mara)).status).toBe(200)
    // The page stays open and shows the other person's approval by itself.
    await page
      .getByText(/one more is needed/)
      .first()
      .waitFor()
    await page
      .getByText(/mara approved at/)
      .first()
      .waitFor()
    await page.locator('[data-row] .tag', { hasText: '1 of 2 approved' }).waitFor()
    // The packet that was read is still the one decided: the vote did not change it.
    await settled(page)
    await page.fill('#typed', (await page.locator('.confirm b').textContent()) ?? '')
    await page.getByRole('button', { name: 'Approve too' }).click()
    await expect.poll(() => stateOf(gate, id)).toMatch(/approved|consumed/)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
