import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openBrowser } from './browser.ts'
import { startOfficeGate, type OfficeGate } from './office-gate.ts'

const CONSOLE = resolve(import.meta.dirname, '..')

/** Builds the console if its sources are newer. */
export function buildConsole(): void {
  const built = join(CONSOLE, 'dist/index.html')
  const newest = (folder: string): number =>
    Math.max(
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(folder, name)).mtimeMs),
    )
  const isNew = () => existsSync(built) && statSync(built).mtimeMs >= newest(join(CONSOLE, 'src'))
  if (isNew()) return
  // Test files run in parallel, and two builds at once would delete each other's files.
  const lock = join(CONSOLE, 'node_modules', '.build.lock')
  mkdirSync(dirname(lock), { recursive: true })
  const until = Date.now() + LONGEST_BUILD_MS
  while (!taken(lock)) {
    if (Date.now() > until) rmSync(lock, { recursive: true, force: true })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  try {
    if (isNew()) return
    const ran = spawnSync('npm', ['run', '-s', 'build'], { cwd: CONSOLE, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`the console cannot be built: ${ran.stderr}`)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

const LONGEST_BUILD_MS = 90_000

function taken(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    return false
  }
}

export type Console = {
  readonly gate: OfficeGate
  readonly browser: Browser
  /** A browser of one person, logged in, with nothing shared with the others. */
  open(key: string, options?: Parameters<Browser['newContext']>[0]): Promise<Page>
  close(): Promise<void>
}

/** Console messages that should not occur: script errors, and content security policy violations. */
export const complaints: string[] = []

/** A live gate and a real browser; requests are never intercepted. */
export async function openConsole(...words: Parameters<typeof startOfficeGate>): Promise<Console> {
  buildConsole()
  const gate = await startOfficeGate(...words)
  const browser = await openBrowser()
  const contexts: BrowserContext[] = []
  return {
    gate,
    browser,
    async open(key, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
      contexts.push(context)
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (/content security policy|trusted/i.test(message.text())) complaints.push(message.text())
      })
      await page.goto(gate.url)
      await page.fill('#key', key)
      await page.keyboard.press('Enter')
      await page.waitForSelector('.shell')
      return page
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()))
      await browser.close()
      await gate.stop()
    },
  }
}

/** Every answer of 400 or more, and every error in the console of the browser. */
export function refusedIn(page: Page): readonly string[] {
  const seen: string[] = []
  const here = () => page.url().split('#')[1] ?? ''
  page.on('response', (response) => {
    if (response.status() < 400) return
    seen.push(`${here()}: ${response.request().method()} ${new URL(response.url()).pathname} ${response.status()}`)
  })
  page.on('pageerror', (error) => seen.push(`${here()}: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') seen.push(`${here()}: ${message.text()}`)
  })
  return seen
}

export const openPacket = async (page: Page, gate: OfficeGate, id: string): Promise<void> => {
  await page.goto(`${gate.url}/#/approvals/${id}`)
  await expect.poll(() => page.locator('.ids').textContent()).toContain(id)
  await settled(page)
}

/** Controls that have just changed are inactive for 400 ms. */
export const settled = (page: Page): Promise<void> => page.waitForTimeout(450)

export const held = async (gate: OfficeGate, ...words: Parameters<OfficeGate['call']>): Promise<string> => {
  const answer = await gate.call(...words)
  expect(answer).toMatchObject({ status: 'pending' })
  return String(answer['approval_id'])
}

export const stateOf = async ({ http, keys }: OfficeGate, id: string): Promise<unknown> =>
  (await http('GET', `/v1/approvals/${id}`, keys.admin)).body['state']
