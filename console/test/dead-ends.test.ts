import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleOf, ON, setFlowPolicy } from '../../server/src/guests/flows/test/flow-samples.suite.ts'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, openConsole, refusedIn, type Console } from './with-console.ts'

const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
if (CHROMIUM === undefined) console.warn(SKIPPED)

const STARTING = resolve(import.meta.dirname, '../../server/test/tool-servers/starting.ts')
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

  test('the chat says before the first message that only a script answers, and how to configure a model', async () => {
    const page = await app.open(app.gate.keys.mara)
    await page.goto(`${app.gate.url}/#/chat`)
    await page.getByRole('heading', { name: 'No model is configured' }).waitFor()
    await page.getByText('provider: anthropic').waitFor()
    await page.getByRole('button', { name: 'list messages' }).click()
    expect(await page.inputValue('#message')).toBe('list messages')
    await page.context().close()
  })

  test('flows say that they are read-only and how to enable them, offer no run, and notice when they are on', async () => {
    const { gate } = app
    const data = join(gate.folder, '.sluice')
    const bundle = bundleOf('flow_month_end', [{ job: 'Export the ledger' }])
    setFlowPolicy(data, ON)
    expect((await gate.http('POST', '/api/v1/flows/import', gate.keys.admin, bundle)).status).toBe(201)
    setFlowPolicy(data, {})
    const page = await app.open(gate.keys.admin)
    const refused = refusedIn(page)
    await page.goto(`${gate.url}/#/flows`)
    await page.getByText('Flows are read-only.').waitFor()
    await page.getByText('{ "flow_run_writes_enabled": true }').waitFor()
    const start = page.getByRole('button', { name: 'Start a run' })
    expect(await start.getAttribute('aria-disabled')).toBe('true')
    setFlowPolicy(data, ON)
    await expect.poll(() => start.getAttribute('aria-disabled'), { timeout: 30_000 }).toBeNull()
    expect(await page.getByText('Flows are read-only.').count()).toBe(0)
    await start.click()
    await page.waitForURL(/#\/flows\/./)
    expect(refused).toEqual([])
    await page.context().close()
  })

  test('the audit begins with the newest entry, in sentences; what happens meanwhile comes on top, and older entries follow', async () => {
    const { gate } = app
    for (let more = 0; more < 60; more += 1) await gate.call('ledger-bot', 'bank__balance', {})
    const page = await app.open(gate.keys.mara)
    const refused = refusedIn(page)
    await page.goto(`${gate.url}/#/audit`)
    const entries = page.getByRole('region', { name: 'Entries' })
    const first = entries.getByRole('listitem').first()
    await first.getByText('mara logged in').waitFor()
    await entries.getByText('A call of bank__balance by ledger-bot ran').first().waitFor()
    await gate.call('mail-assistant', 'mail__delete', { id: 'msg_1' })
    await first.getByText('A call of mail__delete by mail-assistant was blocked: sent messages are kept').waitFor()
    const numbers = async () => (await entries.locator('.entry > .num').allTextContents()).map(Number)
    const before = (await numbers()).length
    await entries.getByRole('button', { name: 'Show older entries' }).click()
    await expect.poll(async () => (await numbers()).length).toBeGreaterThan(before)
    const all = await numbers()
    expect(all).toEqual(all.map((_, at) => (all[0] ?? 0) - at))
    await page.fill('.from-entry', '1')
    await expect.poll(numbers).toEqual([1])
    await page.fill('.from-entry', '')
    await first.getByRole('link').click()
    await page
      .getByRole('heading', { name: /Delete/ })
      .first()
      .waitFor()
    expect(refused).toEqual([])
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
