import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../load-config.ts'
import { run } from '../../../test/helpers/with-running-gate.ts'

test('init chooses the next free port if the usual one is in use, and says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-init-port-'))
  const other = createServer()
  // Whether it is this listener or another program: the port is in use.
  await new Promise<void>((settled) => {
    other.once('error', () => settled())
    other.listen(7420, '127.0.0.1', settled)
  })
  try {
    const { out } = await run(folder, ['init'], '', { env: { HOME: folder } })
    const loaded = loadConfig(join(folder, 'sluice.yaml'), true)
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem))
    const { port } = loaded.value.config.listen
    expect(port).toBeGreaterThan(7420)
    expect(out).toContain(`port 7420 is in use, so this gate will listen on port ${port}`)
  } finally {
    other.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
