import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CHROMIUM, openBrowser, SKIPPED } from '../../console/test/browser.ts'
import { buildConsole } from '../../console/test/with-console.ts'
import { seed, startOfficeGate } from '../../console/test/office-gate.ts'
import { columns, type Bench } from '../bench.ts'

/** How large the first page is, and how soon the inbox can be used in a browser that has never seen it. */

const DIST = resolve(import.meta.dirname, '../../console/dist')
const ROUNDS = 5

type Cold = { readonly usable_ms: number; readonly sent_bytes: number }
export type ConsoleReport = {
  readonly bench: 'console'
  /** What the inbox needs, compressed with brotli as it is served. */
  readonly first_route_bytes: number
  /** What the first graph loads in addition. */
  readonly graph_bytes: number
  readonly cold?: { readonly usable_ms: number; readonly worst_ms: number; readonly rounds: number }
  readonly skipped?: string
}

function packed(name: string): number {
  return statSync(join(DIST, `${name}.br`)).size
}

/** The files that the page itself names, and what those import before they run. */
function firstRoute(): number {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name = '']) => name)
  const seen = new Set(named)
  for (const name of seen) {
    if (!name.endsWith('.js')) continue
    const text = readFileSync(join(DIST, name), 'utf8')
    for (const [, file = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) seen.add(`assets/${file}`)
  }
  return packed('index.html') + [...seen].reduce((sum, name) => sum + packed(name), 0)
}

function graph(): number {
  const files = readdirSync(join(DIST, 'assets')).filter((name) => /^run-canvas.*\.(?:js|css)$/.test(name))
  return files.reduce((sum, name) => sum + packed(`assets/${name}`), 0)
}

/** From the start of the navigation to the first row that can be clicked, by the browser's own clock. */
const USABLE = `new Promise((done) => {
  const look = () => {
    if (document.querySelector('.held') !== null && document.querySelector('.sentence') !== null) {
      const sent = performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0)
      done({ usable_ms: performance.now(), sent_bytes: sent })
    } else requestAnimationFrame(look)
  }
  look()
})`

async function cold(): Promise<readonly Cold[]> {
  const gate = await startOfficeGate()
  await seed(gate)
  const browser = await openBrowser()
  const measured: Cold[] = []
  try {
    const first = await browser.newContext()
    const login = await first.newPage()
    await login.goto(gate.url)
    await login.fill('#key', gate.keys.mara)
    await login.keyboard.press('Enter')
    await login.waitForSelector('.held')
    const cookies = await first.cookies()
    for (let round = 0; round < ROUNDS; round++) {
      // A new context has an empty cache.
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      await context.addCookies(cookies)
      const page = await context.newPage()
      await page.goto(gate.url, { waitUntil: 'commit' })
      measured.push(await page.evaluate(USABLE))
      await context.close()
    }
  } finally {
    await browser.close()
    await gate.stop()
  }
  return measured
}

export const bench: Bench<ConsoleReport> = {
  async run() {
    buildConsole()
    const sizes = { bench: 'console', first_route_bytes: firstRoute(), graph_bytes: graph() } as const
    if (CHROMIUM === undefined) return { ...sizes, skipped: SKIPPED }
    const times = (await cold()).map(({ usable_ms }) => usable_ms).sort((a, b) => a - b)
    return {
      ...sizes,
      cold: {
        usable_ms: Math.round(times[Math.floor(times.length / 2)] ?? 0),
        worst_ms: Math.round(times.at(-1) ?? 0),
        rounds: times.length,
      },
    }
  },
  table: ({ first_route_bytes, graph_bytes, cold, skipped }) =>
    columns([
      ['figure', 'value', 'bound'],
      ['first route, compressed', `${(first_route_bytes / 1000).toFixed(1)} kB`, '300 kB'],
      ['graph of a run, besides', `${(graph_bytes / 1000).toFixed(1)} kB`, ''],
      ...(cold === undefined
        ? [['inbox usable, cold', skipped ?? '', '']]
        : [
            ['inbox usable, cold (median)', `${cold.usable_ms} ms`, '1,000 ms'],
            ['inbox usable, cold (worst)', `${cold.worst_ms} ms`, ''],
          ]),
    ]),
}
