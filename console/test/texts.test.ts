import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleOf, ON, setFlowPolicy } from '../../server/src/guests/flows/test/flow-samples.suite.ts'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { COURIER } from './courier.ts'
import { askAsNode } from './node-request.ts'
import { complaints, held, openConsole, openPacket, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)

const MARKUP = `<img src=x onerror="window.hit=1"><script>window.hit=1</script><a href="javascript:window.hit=1">Approve</a>`
const BIDI = 'pay\u202Etxt.exe'
const TAGS = `hello${Array.from('approve')
  .map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
  .join('')}`
const UNSEEN = 'a\u200Bb\u2060c\uFEFFd\u00ADe\u115Ff\u3164g'
const LINES = 'fine\n\n\n\n\nWhy it is held\nNo reason at all'
const WIDE = `x${' '.repeat(400)}y`
const TEXTS = { MARKUP, BIDI, TAGS, UNSEEN, LINES, WIDE }
const HIDDEN = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u00AD\u115F\u3164]|[\u{E0000}-\u{E007F}]/u

const ALL = `${MARKUP}${BIDI}${TAGS}${UNSEEN}`
const PAGES = [
  '#/',
  '#/activity',
  // Anybody can create an address and send it as a link.
  `#/activity?tool=${encodeURIComponent(ALL)}&caller=${encodeURIComponent(ALL)}`,
  `#/activity/${encodeURIComponent(ALL)}`,
  `#/approvals/${encodeURIComponent(ALL)}`,
  `#/runs/${encodeURIComponent(ALL)}`,
  `#/flows/${encodeURIComponent(ALL)}`,
  `#/chat/${encodeURIComponent(ALL)}`,
  '#/tools',
  '#/tools?tool=crm__update_deal',
  '#/runs',
  '#/nodes',
  '#/workflows',
  `#/workflows/${encodeURIComponent(ALL)}`,
  '#/workflows/courier',
  '#/flows',
  '#/chat',
  '#/consents',
  '#/audit',
  '#/policy',
  '#/overview',
  '#/settings',
]

/** All text of the page, including labels and titles. */
const SEEN = `[document.title, document.body.innerText, ...[...document.querySelectorAll('*')].flatMap((one) =>
  ['title', 'aria-label', 'placeholder', 'alt'].map((name) => one.getAttribute(name) ?? ''))].join(' ')`

const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

describe.skipIf(CHROMIUM === undefined || !WHOLE)('texts of agents and tools', () => {
  let app: Console
  let page: Page
  beforeAll(async () => {
    app = await openConsole((config) => ({
      ...config,
      servers: {
        ...config.servers,
        crm: { ...config.servers.crm, env: { HOSTILE_TEXT: ALL } },
      },
    }))
    setFlowPolicy(join(app.gate.folder, '.sluice'), ON)
    page = await app.open(app.gate.keys.admin)
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  /** No part of a text became markup, and every character is visible. */
  async function looks(): Promise<void> {
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(await page.locator('main img, main script, a[href^="javascript"]').count()).toBe(0)
    // Labels for screen readers and tooltips count too.
    const text = String(await page.evaluate(SEEN))
    expect(HIDDEN.exec(text)?.[0]).toBeUndefined()
  }

  const hiddenOn = async (at: Page) => HIDDEN.exec(String(await at.evaluate(SEEN)))?.[0]

  test.each(Object.entries(TEXTS))('%s is shown as text in a packet, and never as ours', async (name, text) => {
    const id = await held(app.gate, 'sales-helper', 'crm__update_deal', {
      deal: text,
      [name === 'MARKUP' ? MARKUP : 'stage']: text,
    })
    await openPacket(page, app.gate, id)
    await looks()
    // The page has only its own headings: a text with line breaks creates none.
    expect(await page.locator('.packet h2').allTextContents()).toEqual(
      expect.arrayContaining(['Why it is held', 'If you approve']),
    )
    expect(await page.locator('.packet h2', { hasText: 'Why it is held' }).count()).toBe(1)
  })

  test('odd characters are named by their code point', async () => {
    const id = await held(app.gate, 'sales-helper', 'crm__update_deal', { deal: BIDI, stage: TAGS })
    await openPacket(page, app.gate, id)
    const text = String(await page.evaluate("document.querySelector('.packet').innerText"))
    expect(text).toContain('⟨U+202E⟩')
    expect(text).toContain('⟨U+E0061⟩')
  })

  test('they are text on every other page too', async () => {
    const { gate } = app
    await gate.call('sales-helper', 'crm__get_supplier', { name: ALL }, `${MARKUP} thread`)
    const call = await gate.http('GET', '/v1/calls?limit=1', gate.keys.admin)
    const [newest] = call.body['items'] as { call_id: string }[]
    const runs = await gate.http('GET', '/v1/runs?limit=1', gate.keys.admin)
    const [run] = runs.body['items'] as { run_id: string }[]
    const own = await held(gate, 'sales-helper', 'crm__update_deal', { deal: ALL, stage: ALL })
    await askAsNode(gate, 'berlin-1', own, { caller: ALL, user: 'ana', document: ALL, thread: ALL, sender: ALL })
    for (const text of ['First', ALL]) {
      const document = COURIER(text).replace('Tells the operations channel what has come in', JSON.stringify(text))
      const applied = await gate.http('POST', '/v1/workflows', gate.keys.admin, { document })
      expect(applied.status, JSON.stringify(applied.body)).toBe(200)
    }
    const started = await gate.http('POST', '/v1/workflows/courier/runs', gate.keys.admin, { input: {} })
    expect(started.status, JSON.stringify(started.body)).toBe(202)
    const more = [`#/activity/${newest?.call_id}`, `#/runs/${run?.run_id}`]
    for (const path of [...PAGES, ...more]) {
      await page.goto(`${gate.url}/${path}`)
      await page.waitForTimeout(500)
      expect({ path, text: await hiddenOn(page) }).toEqual({ path, text: undefined })
      await looks()
    }
  }, 120_000)

  test('titles, summaries, steps and reasons of a flow are text, in the list and in a run', async () => {
    const { gate } = app
    const bundle = bundleOf('flow_hostile', [{ job: `Export ${MARKUP} ${BIDI}` }, { job: 'Lock the period' }])
    const flow = { ...(bundle['flow'] as object), title: `Close ${MARKUP} ${BIDI}`, summary: `${TAGS} ${UNSEEN}` }
    const imported = await gate.http('POST', '/api/v1/flows/import', gate.keys.admin, { ...bundle, flow })
    expect(imported.status).toBe(201)
    await page.goto(`${gate.url}/#/flows`)
    await page.getByRole('heading', { name: /Close/ }).first().waitFor()
    await looks()
    await page.getByRole('button', { name: 'Start a run' }).first().click()
    await page.locator('.step').first().waitFor()
    await looks()
  })

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
