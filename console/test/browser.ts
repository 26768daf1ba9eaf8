import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Where this machine has a browser, or undefined. `CHROMIUM` names another one. */
export const CHROMIUM: string | undefined = [process.env['CHROMIUM'] ?? '', ...PLACES].find(
  (place) => place !== '' && existsSync(place),
)

/** Reports the tests that are skipped on a machine without a browser. */
export const SKIPPED =
  'SKIPPED: the tests of the console need Chromium, and this machine has none. Install it with `npm run get-chromium`.'

export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error(SKIPPED)
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...args] })
}
