import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { built } from '../../../../test/built/built.ts'
import type { ProbePoint } from '../../../kernel/ports/runtime.ts'
import { startModelServer, type ModelServer } from '../../agent/test/model-server.suite.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'
import { openForCrash } from './carry-out.suite.ts'
import { carryTurn, QUESTION, sayTurn, sentWith } from './carry-turn.suite.ts'

const run = promisify(execFile)
const POINTS = [
  'step.before',
  'step.after',
  'intent.before',
  'intent.after',
  'upstream.before',
  'upstream.after',
  'outcome.before',
  'outcome.after',
] as const satisfies readonly ProbePoint[]

let model: ModelServer
beforeAll(async () => {
  model = await startModelServer()
  model.say = sayTurn
})
afterAll(() => model.close())

/** False if the answer was sent before the point was reached. */
async function survives(point: ProbePoint, nth: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-turns-crash-'))
  try {
    const child = await run(
      process.execPath,
      [built(resolve(import.meta.dirname, 'turns-crash-child.suite.ts')), folder, model.url, point, String(nth)],
      { timeout: 60_000 },
    ).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string })
    if (child.stdout.includes('survived')) return false
    const where = `killed at ${point}, time ${nth}`
    expect(child.stdout, `${where}: ${child.stderr}`).toContain('died')
    const rig = await openForCrash(folder, model.url)
    try {
      // The transport delivers the message again, as after every restart.
      await carryTurn(rig, 'one')
      await carryTurn(rig, 'two')
      expect([sentWith(rig, 'Written: one.'), sentWith(rig, 'Written: two.')], where).toEqual([1, 1])
      expect(sentWith(rig, QUESTION), where).toBeLessThan(2)
      expect(
        rig.effects().some((line) => line.includes('note one')),
        where,
      ).toBe(true)
      expect(await rig.gate.audit.verify([]), where).toMatchObject({ ok: true })
    } finally {
      await rig.close()
    }
    return true
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test.skipIf(!IS_WHOLE).each(POINTS)(
  'a person whose gate is killed at every visit of %s is answered once',
  { timeout: 900_000 },
  async (point) => {
    let nth = 1
    while (await survives(point, nth)) nth += 1
    expect(nth).toBeGreaterThan(1)
  },
)
