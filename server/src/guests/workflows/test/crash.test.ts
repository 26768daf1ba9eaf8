import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { built } from '../../../../test/built/built.ts'
import type { ProbePoint } from '../../../kernel/ports/runtime.ts'
import { startModelServer, type ModelServer } from '../../agent/test/model-server.suite.ts'
import { chooseStore, isWhole, STORES } from '../../../../test/helpers/postgres-stores.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'
import { carryOut, openForCrash } from './carry-out.suite.ts'
import { ONCE, REPEATABLE } from './crash-document.suite.ts'

const run = promisify(execFile)

/** Around every commit of the driver, of a call's intent and outcome and of a decision, and around what a tool server is sent. */
const POINTS = [
  'step.before',
  'step.after',
  'intent.before',
  'intent.after',
  'upstream.before',
  'upstream.after',
  'outcome.before',
  'outcome.after',
  'decision.before',
  'decision.after',
] as const satisfies readonly ProbePoint[]

let model: ModelServer
beforeAll(async () => {
  model = await startModelServer()
  model.say = () => ({ text: '{"text":"parsed"}' })
})
afterAll(() => model.close())

/** Runs the document in a process that is killed there, and then in this one. False if the run ended before. */
async function survives(store: (typeof STORES)[number], point: ProbePoint, nth: number): Promise<boolean> {
  // A folder and its keys belong to one store.
  await chooseStore(store)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-workflow-crash-'))
  try {
    const child = await run(
      process.execPath,
      [built(resolve(import.meta.dirname, 'crash-child.suite.ts')), folder, model.url, point, String(nth)],
      { timeout: 60_000 },
    ).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string })
    const where = `killed at ${point}, time ${nth}`
    if (child.stdout.includes('survived')) {
      expect(child.stdout, where).toContain('survived done')
      return false
    }
    expect(child.stdout, `${where}: ${child.stderr}`).toContain('died')
    const rig = await openForCrash(folder, model.url)
    try {
      expect(await carryOut(rig), where).toMatchObject({ status: 'done' })
      const effects = rig.effects()
      for (const text of ONCE)
        expect(
          effects.filter((line) => line.includes(text)),
          `${where}: ${text}`,
        ).toHaveLength(1)
      const repeatable = effects.filter((line) => line.includes(REPEATABLE))
      expect(repeatable.length, where).toBeGreaterThan(0)
      expect(effects, where).toHaveLength(ONCE.length + repeatable.length)
      expect(await rig.gate.audit.verify([]), where).toMatchObject({ ok: true })
    } finally {
      await rig.close()
    }
    return true
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.each(STORES)('a run whose gate is killed (%s)', (store) => {
  test.skipIf(IS_WHOLE).each([
    { point: 'step.before', nth: 3 },
    { point: 'outcome.before', nth: 4 },
    { point: 'upstream.before', nth: 1 },
  ] as const)(
    'at $point, time $nth, continues after the restart, and nothing happens twice',
    { timeout: 120_000 },
    async ({ point, nth }) => {
      expect(await survives(store, point, nth)).toBe(true)
    },
  )

  test.runIf(IS_WHOLE || isWhole).each(POINTS)(
    'at any visit of %s continues after the restart, and nothing happens twice',
    { timeout: 900_000 },
    async (point) => {
      // On Postgres a dead boot keeps its lease for five seconds, so there it is some of the times. `npm run test:chaos` kills at each.
      const pace = store === 'embedded' && IS_WHOLE ? 1 : store === 'postgres with redis' ? 9 : 5
      let nth = 1
      while (await survives(store, point, nth)) nth += pace
      expect(nth).toBeGreaterThan(1)
    },
  )
})
