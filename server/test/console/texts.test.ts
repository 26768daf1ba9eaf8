import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
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

const PAGES = ['#/', '#/activity', '#/tools', '#/runs', '#/consents', '#/audit', '#/policy', '#/overview']

const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

describe.skipIf(CHROMIUM === undefined || !WHOLE)('texts of agents and tools', () => {
  let app: Console
  let page: Page
  beforeAll(async () => {
    app = await openConsole((config) => ({
      ...config,
      servers: {
        ...config.servers,
        crm: { ...config.servers.crm, env: { HOSTILE_TEXT: `${MARKUP}${BIDI}${TAGS}${UNSEEN}` } },
      },
    }))
    page = await app.open(app.world.keys.admin)
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  /** Nothing of a text became markup, and every character of it can be seen. */
  async function looks(): Promise<void> {
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(await page.locator('main img, main script, a[href^="javascript"]').count()).toBe(0)
    const text = String(await page.evaluate('document.body.innerText'))
    expect(HIDDEN.exec(text)?.[0]).toBeUndefined()
  }

  test.each(Object.entries(TEXTS))('%s is shown as text in a packet, and never as ours', async (name, text) => {
    const id = await held(app.world, 'sales-helper', 'crm__update_deal', {
      deal: text,
      [name === 'MARKUP' ? MARKUP : 'stage']: text,
    })
    await openPacket(page, app.world, id)
    await looks()
    // The page has its own headings and no more: a text with line breaks makes none.
    expect(await page.locator('.packet h2').allTextContents()).toEqual(
      expect.arrayContaining(['Why it is held', 'If you approve']),
    )
    expect(await page.locator('.packet h2', { hasText: 'Why it is held' }).count()).toBe(1)
  })

  test('odd characters are named by their code point', async () => {
    const id = await held(app.world, 'sales-helper', 'crm__update_deal', { deal: BIDI, stage: TAGS })
    await openPacket(page, app.world, id)
    const text = String(await page.evaluate("document.querySelector('.packet').innerText"))
    expect(text).toContain('⟨U+202E⟩')
    expect(text).toContain('⟨U+E0061⟩')
  })

  test('they are text on every other page too', async () => {
    await app.world.call('sales-helper', 'crm__get_supplier', { name: `${MARKUP}${BIDI}${UNSEEN}` }, `${MARKUP} thread`)
    for (const path of PAGES) {
      await page.goto(`${app.world.url}/${path}`)
      await page.waitForTimeout(500)
      await looks()
    }
  }, 60_000)

  test('no script failed and the content security policy stopped nothing', () => {
    expect(complaints).toEqual([])
  })
})
