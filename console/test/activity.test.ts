import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withEntries } from '../../bench/growth/build-data.ts'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, openConsole, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
const ROWS = 10_000

/** Records the browser's list of frames that took longer than 50 ms. */
const WATCH_FRAMES = `
  window.longFrames = []
  new PerformanceObserver((list) => window.longFrames.push(...list.getEntries().map(({ duration, blockingDuration }) => ({ duration, blockingDuration }))))
    .observe({ type: 'long-animation-frame', buffered: false })`

const PANE = `document.querySelector('.calls .scroll')`
const HEIGHT = `${PANE}.scrollHeight`
const TO_THE_END = `{ ${PANE}.scrollTop = ${HEIGHT} }`

/** Scrolls up one step per frame and returns the time of every frame. */
const SCROLL = `(async () => {
  const pane = ${PANE}
  const frames = []
  let last = await new Promise(requestAnimationFrame)
  for (let step = 0; step < 240; step += 1) {
    pane.scrollTop -= 400
    const now = await new Promise(requestAnimationFrame)
    frames.push(now - last)
    last = now
  }
  return frames
})()`

describe.skipIf(CHROMIUM === undefined || !WHOLE)('the activity page with many calls', () => {
  let app: Console
  beforeAll(async () => {
    app = await openConsole()
    const { gate } = app
    await gate.call('mail-assistant', 'mail__list', { folder: 'Invoices' })
    const start = await gate.kill()
    // Copies of a real call: its row and two audit entries each.
    await withEntries(join(gate.folder, '.sluice'), 2 * ROWS + 100)
    await start()
  }, 180_000)
  afterAll(async () => app.close(), 60_000)

  test(`${ROWS.toLocaleString('en')} rows: few are on the page, the last one can be reached, and the page scrolls without long frames`, async () => {
    const { gate } = app
    const page = await app.open(gate.keys.admin)
    await page.goto(`${gate.url}/#/activity`)
    await page.locator('.call-row[data-index="0"]').waitFor()
    const table = page.locator('.calls')
    // While there is more to read the number of rows is not known, which is what -1 says (WAI-ARIA 1.2, aria-rowcount).
    expect(await table.getAttribute('aria-rowcount')).toBe('-1')
    let most = 0
    const end = Date.now() + 180_000
    while ((await table.getAttribute('aria-rowcount')) === '-1' && Date.now() < end) {
      const before = Number(await page.evaluate(HEIGHT))
      await page.evaluate(TO_THE_END)
      // The next page was read, or this was the last one.
      await expect
        .poll(
          async () =>
            Number(await page.evaluate(HEIGHT)) > before || (await table.getAttribute('aria-rowcount')) !== '-1',
          { timeout: 60_000, interval: 20 },
        )
        .toBe(true)
      most = Math.max(most, await page.locator('.call-row[data-index]').count())
    }
    const rows = Number(await table.getAttribute('aria-rowcount')) - 1
    expect(rows).toBeGreaterThanOrEqual(ROWS)
    await page.evaluate(TO_THE_END)
    await page.locator(`.call-row[data-index="${rows - 1}"]`).waitFor()
    expect(await page.locator(`.call-row[data-index="${rows - 1}"]`).getAttribute('aria-rowindex')).toBe(`${rows + 1}`)
    // However many rows there are, the page contains only the visible ones and a few more.
    expect(most).toBeLessThan(80)

    await page.evaluate(WATCH_FRAMES)
    const frames = (await page.evaluate(SCROLL)) as number[]
    const long = (await page.evaluate('window.longFrames')) as { duration: number; blockingDuration: number }[]
    const sorted = frames.toSorted((a, b) => a - b)
    const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]?.toFixed(1)
    console.log(
      `${rows} rows, ${frames.length} frames of scrolling up by 400 px: median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, worst ${at(1)} ms; ` +
        `${long.length} long frames (over 50 ms), which blocked input for ${Math.round(long.reduce((sum, { blockingDuration }) => sum + blockingDuration, 0))} ms in all`,
    )
    // Every screen on the way shows rows: the list was drawn while it moved, not only where it stopped.
    expect(await page.locator('.call-row[data-index]').count()).toBeGreaterThan(5)
    expect(await page.locator('.call-row[data-index]').count()).toBeLessThan(80)
    await page.context().close()
  }, 300_000)

  test('a search asks the gate, and the query is in the address', async () => {
    const { gate } = app
    await gate.call('report-writer', 'files__read_file', { path: 'reports/needle.md' })
    const page = await app.open(gate.keys.admin)
    await page.goto(`${gate.url}/#/activity`)
    await page.locator('.call-row[data-index="0"]').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    await expect.poll(() => page.locator('.calls').getAttribute('aria-rowcount'), { timeout: 60_000 }).toBe('2')
    expect(await page.locator('.call-row[data-index="0"]').textContent()).toContain('needle')
    expect(page.url()).toContain('needle')
    await page.reload()
    await expect.poll(() => page.locator('.calls').getAttribute('aria-rowcount'), { timeout: 60_000 }).toBe('2')
    await page.context().close()
  }, 120_000)

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
