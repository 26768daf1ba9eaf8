import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { effectsIn, openTestGate } from '../gate/with-gate.ts'

const PROCESSES = 3
const TIMES = 60
const BUDGET = 50

function racer(...words: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'budget-racer.ts'), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => String((await lines.next()).value)
  return { ready: line(), go: () => child.stdin.write('go\n'), tally: line }
}

test('of the calls of three racing processes exactly as many run as their shared budget holds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-budgets-'))
  try {
    await (await openTestGate(folder)).opened.close()
    const racers = Array.from({ length: PROCESSES }, (_, at) => racer(folder, `p${at}`, String(TIMES), String(BUDGET)))
    await Promise.all(racers.map(({ ready }) => ready))
    for (const { go } of racers) go()
    const total: Record<string, number> = {}
    for (const tally of await Promise.all(racers.map((one) => one.tally()))) {
      for (const [key, count] of Object.entries(JSON.parse(tally) as Record<string, number>))
        total[key] = (total[key] ?? 0) + count
    }
    expect(total).toEqual({ executed: BUDGET, 'call.over_budget': PROCESSES * TIMES - BUDGET })
    expect(effectsIn(folder)).toHaveLength(BUDGET)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
