import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allocatedBy } from './allocated.ts'
import { echoOf } from './echo-tool.ts'
import { frame, openSession } from './sessions.ts'
import { STARTS, stop } from './systems.ts'

const WARM = 1_500
const CALLS = 500
const AT_ONCE = 16
const TEXT = 'the figures of the quarter'
/** How far a call may be above the figure that is committed. */
const MOST = 1.2

// If a change makes calls allocate less, write the figure that this test prints to allocated.json.
test('a call allocates no more than a fifth above the committed figure', { timeout: 300_000 }, async () => {
  const committed = JSON.parse(readFileSync(join(import.meta.dirname, 'allocated.json'), 'utf8')) as {
    readonly kb_per_call: number
  }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-allocated-'))
  const { child, target } = await STARTS.sluice({ upstream: 'stdio', url: '', folder })
  try {
    if (child === undefined) throw new Error('the gate has no process')
    const session = await openSession(target)
    const { asks, close } = await session.lanes(AT_ONCE)
    let id = 0
    const load = (calls: number) => {
      const last = id + calls
      return Promise.all(
        asks.map(async (ask) => {
          while (id < last) {
            const number = (id += 1)
            const params = { name: target.tool, arguments: { text: TEXT, number } }
            const { result } = await ask(number, frame(number, 'tools/call', params))
            expect(result?.content?.[0]?.text).toBe(echoOf(TEXT, number))
          }
        }),
      )
    }
    await load(WARM)
    const before = await allocatedBy(child, folder)
    await load(CALLS)
    const kb = (await allocatedBy(child, folder)) / 1024 - before / 1024
    close()
    session.close()
    console.log(`a call allocates ${(kb / CALLS).toFixed(1)} KB, the committed figure is ${committed.kb_per_call}`)
    expect(kb / CALLS).toBeLessThan(committed.kb_per_call * MOST)
  } finally {
    if (child !== undefined) await stop(child)
    rmSync(folder, { recursive: true, force: true })
  }
})
