import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, openConsole, type Console } from './with-console.ts'

const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
if (CHROMIUM === undefined) console.warn(SKIPPED)

const STARTING = resolve(import.meta.dirname, '../tool-servers/starting.ts')
const MENDED = join(tmpdir(), `sluice-mended-${process.pid}`)

describe.skipIf(CHROMIUM === undefined || !WHOLE)('what does not work says why, and what to do', () => {
  let app: Console
  beforeAll(async () => {
    app = await openConsole((config) => ({
      ...config,
      servers: { ...config.servers, post: { command: 'node', args: [STARTING, 'complains', MENDED] } },
    }))
  }, 120_000)
  afterAll(async () => {
    rmSync(MENDED, { force: true })
    await app.close()
  }, 60_000)

  test('a server that is down is named on the overview and comes first on the Tools page, with its reason and last lines; once it is mended, Retry works and nothing needs attention', async () => {
    const { gate } = app
    const page = await app.open(gate.keys.mara)
    await page.goto(`${gate.url}/#/overview`)
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText('post is down').waitFor()
    await attention.getByText('Error: TOKEN⟨U+202E⟩ is not set').waitFor()
    await attention.getByRole('link', { name: 'Show' }).click()
    const part = page.getByRole('region', { name: 'Server post' })
    await part.getByText('post is down: its tools are not known yet.').waitFor()
    expect(
      await page
        .getByRole('region', { name: /^Server / })
        .first()
        .getAttribute('aria-label'),
    ).toBe('Server post')
    await part.getByText('it did not answer (exit code 1)').waitFor()
    // A character that would reverse the text is shown as what it is.
    await part.getByText('Error: TOKEN⟨U+202E⟩ is not set').waitFor()
    writeFileSync(MENDED, '')
    await part.getByRole('button', { name: 'Retry post' }).click()
    await page.getByText('post__echo').first().waitFor()
    expect(await part.getByText('is down').count()).toBe(0)
    await page.goto(`${gate.url}/#/overview`)
    await attention.getByText('Nothing needs attention').waitFor()
    await attention.getByText('7 of 7 servers ready · no pending requests · no unknown outcomes').waitFor()
    await page.context().close()
  })

  test('somebody who may not use a page is told who may, and is not offered it', async () => {
    const { gate } = app
    const page = await app.open(await gate.key('user', 'ines'))
    const nav = page.getByRole('navigation', { name: 'Pages' })
    await nav.getByText('Tools').waitFor()
    expect(await nav.getByText(/^(?:Audit|Nodes|Workflows)$/).count()).toBe(0)
    expect(await nav.getByText('Pause everything').count()).toBe(0)
    await page.goto(`${gate.url}/#/audit`)
    await page.getByText('It needs the key of an approver or an admin.').waitFor()
    await page.context().close()
  })

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
