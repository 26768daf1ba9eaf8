import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleOf, ON, setFlowPolicy } from '../../server/src/guests/flows/test/flow-samples.suite.ts'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, openConsole, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

const MAIL = { kind: 'skill_pack', id: 'mailbox' } as const
const MARKUP = '<img src=x onerror="window.hit=1">'
const SHOTS = process.env['SLUICE_SHOTS']

describe.skipIf(CHROMIUM === undefined || !WHOLE)('flows in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-flow-page-'))
  let app: Console
  let mara: string
  let priya: string
  beforeAll(async () => {
    const script = join(folder, 'script.yaml')
    const rules = [
      {
        when: 'Export',
        calls: [{ tool: 'mail__list', args: { folder: 'Sent' } }],
        answer: `The list: {{result}} ${MARKUP}`,
      },
    ]
    writeFileSync(script, JSON.stringify({ rules }))
    app = await openConsole((config) => ({
      ...config,
      models: { script },
      flows: { skill_packs: { mailbox: ['mail__list'] } },
    }))
    const { gate } = app
    setFlowPolicy(join(gate.folder, '.sluice'), ON)
    const key = async (kind: string, name: string) => {
      const wanted = { kind, name: `${name}-flows`, user: name, flow_role: 'editor' }
      return String((await gate.http('POST', '/v1/keys', gate.keys.admin, wanted)).body['key'])
    }
    mara = await key('approver', 'mara')
    priya = await key('reviewer', 'priya')
    const close = bundleOf('flow_month_end', [
      { job: 'Export the ledger', automatable: 'automatable', skills: [MAIL], required: true },
      { job: 'Book currency differences' },
      { job: 'Have the accruals reviewed', kind: 'human_review', required: true },
      { job: 'Pay the approved invoices', automatable: 'agent_assisted' },
      { job: 'Lock the period' },
    ])
    const flow = { ...(close['flow'] as object), title: `Month-end close ${MARKUP}`, summary: 'Close the books.' }
    const imported = await gate.http('POST', '/api/v1/flows/import', gate.keys.admin, { ...close, flow })
    expect(imported.status).toBe(201)
  }, 120_000)
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const shot = async (page: Page, name: string) => {
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name}.png`) })
  }
  const here = (page: Page) => page.locator('.step.here')

  test('a run is started, an agent does a step under a consent, a reviewer approves one, and it is done', async () => {
    const page = await app.open(mara)
    await page
      .getByRole('link', { name: /^Flows/ })
      .first()
      .click()
    await page.getByRole('heading', { name: /Month-end close/ }).waitFor()
    await shot(page, 'flows')
    await page.getByRole('button', { name: 'Start a run' }).click()
    await page.waitForURL(/#\/flows\/run_/)
    await here(page).getByText('once you give a consent').waitFor()
    await page.getByRole('button', { name: 'Give consent' }).click()
    await here(page).getByText('10 of 10 units left').waitFor()
    await here(page).getByRole('button', { name: 'Let the agent do it' }).click()
    await here(page).getByText('checked').waitFor()
    await here(page).getByRole('button', { name: 'Show the result' }).click()
    await here(page).getByText('Invoice 4411').waitFor()
    await here(page).getByRole('button', { name: 'Done', exact: true }).click()
    await here(page).getByText('Book currency differences').waitFor()
    await here(page).getByRole('button', { name: 'Skip …' }).click()
    await here(page).getByRole('button', { name: 'Skip: not applicable' }).click()
    await here(page).getByText('Have the accruals reviewed').waitFor()
    await here(page).getByRole('button', { name: 'Ask for a review …' }).click()
    await here(page).getByLabel('What the reviewer should decide').fill('Freight is booked when it arrives.')
    await here(page).getByRole('button', { name: 'Submit' }).click()
    await page.getByText('You proposed this, so somebody else has to decide.').waitFor()

    const other = await app.open(priya)
    await other.goto(page.url())
    const queue = other.getByRole('complementary', { name: 'Review queue' })
    await queue.getByText('Freight is booked').waitFor()
    await queue.getByText('3 answers are missing').waitFor()
    await shot(other, 'flow-run')
    const approve = queue.getByRole('button', { name: 'Approve' })
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    for (const left of [2, 1, 0]) {
      await queue.getByRole('button', { name: 'yes', exact: true, pressed: false }).first().click()
      if (left > 0) await queue.getByText(left === 1 ? '1 answer is missing' : `${left} answers are missing`).waitFor()
    }
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBe(null)
    await approve.click()
    await queue.getByText('No pending reviews.').waitFor()

    await page.getByText('reviewed by').waitFor()
    for (const _ of [3, 4, 5]) {
      const step = (await here(page).locator('h3').textContent()) ?? ''
      await here(page).getByRole('button', { name: 'Done', exact: true }).click()
      await expect.poll(async () => (await page.locator('.step.here h3', { hasText: step }).count()) === 0).toBe(true)
    }
    await page.locator('.top .tag', { hasText: 'done' }).waitFor()
    expect(await page.locator('.step.done').count()).toBe(4)
    await page.setViewportSize({ width: 360, height: 740 })
    await shot(page, 'flow-phone')
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(complaints).toEqual([])
  })
})
