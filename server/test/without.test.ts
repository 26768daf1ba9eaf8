import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/without.ts')
const IS_CI = process.env['CI'] !== undefined
if (!IS_CI)
  console.log('skipped: nothing is removed here; CI removes another guest each day (`npm run without -- GUEST`)')

// It compiles the server and starts a gate, and on a machine that is busy with other tests each of them takes minutes.
test.runIf(IS_CI)('the product is complete without the guest of the day', { timeout: 1_200_000 }, async () => {
  const child = spawn(process.execPath, [SCRIPT, '--short'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code, said).toBe(0)
})
