import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configure, startGate, type RunningGate } from '../../server/test/helpers/with-running-gate.ts'
import { CHROMIUM, openBrowser, SKIPPED } from './browser.ts'
import { buildConsole } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'
const ROOT = resolve(import.meta.dirname, '../..')

describe.skipIf(CHROMIUM === undefined || !WHOLE)('a console that is updated under a running gate', () => {
  const tree = mkdtempSync(join(tmpdir(), 'sluice-update-'))
  const dist = join(tree, 'console/dist')
  let gate: RunningGate & { stop(): Promise<void> }
  beforeAll(async () => {
    buildConsole()
    for (const part of ['server/src', 'server/bin', 'server/package.json', 'package.json', 'console/dist'])
      cpSync(join(ROOT, part), join(tree, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    gate = await startGate(configure, ['up', '--trust'], join(tree, 'server/bin/sluice'))
  }, 120_000)
  afterAll(async () => {
    await gate.stop()
    rmSync(tree, { recursive: true, force: true })
  })

  /** The same console with other file names, as in another release. Returns a name that no longer exists. */
  function replaceFiles(): string {
    const assets = join(dist, 'assets')
    for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
      if (/\.(?:br|gz)$/.test(name)) rmSync(join(dist, name))
    const names = readdirSync(assets)
    const renamed = (text: string) =>
      names.reduce((now, name) => now.replaceAll(name, name.replace(/\.(\w+)$/, '0.$1')), text)
    for (const name of [...names.map((one) => join('assets', one)), 'index.html'])
      writeFileSync(join(dist, name), renamed(readFileSync(join(dist, name), 'utf8')))
    for (const name of names) renameSync(join(assets, name), join(assets, renamed(name)))
    return names.find((name) => name.startsWith('nodes-page')) ?? ''
  }

  test('a page that was not loaded yet offers a reload, and works afterwards', async () => {
    const key = await gate.key('admin', 'root')
    const browser = await openBrowser()
    const page = await browser.newPage()
    await page.goto(gate.url)
    await page.fill('#key', key)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.shell')
    const gone = replaceFiles()
    const answer = await gate.http('GET', `/assets/${gone}`, undefined)
    expect(answer).toMatchObject({ status: 404, body: { code: 'route.unknown' } })
    await page.goto(`${gate.url}/#/nodes`)
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
    await page.getByText('The console was updated.').waitFor()
    await page.locator('.banner').getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'This gate has no nodes' }).waitFor()
    expect(await page.getByText('The console was updated.').count()).toBe(0)
    await browser.close()
  })
})
