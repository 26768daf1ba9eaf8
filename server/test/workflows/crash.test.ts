import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { CRASH_MESSAGE } from './crash-document.ts'
import { openWorkflows } from './with-workflows.ts'

const run = promisify(execFile)
/** Between two steps: before and after commits of the driver, and where a call is put on record or has ended. */
const DEATHS = [
  { point: 'step.before', nth: 3 },
  { point: 'step.after', nth: 4 },
  { point: 'outcome.after', nth: 2 },
]

describe('a run whose gate is killed', () => {
  test.each(DEATHS)(
    'at $point, time $nth, goes on after the restart, and nothing happens twice',
    { timeout: 120_000 },
    async ({ point, nth }) => {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-workflow-crash-'))
      try {
        const child = await run(
          process.execPath,
          [resolve(import.meta.dirname, 'crash-child.ts'), folder, point, String(nth)],
          { timeout: 60_000 },
        ).catch((error: unknown) => error as { stdout: string })
        expect(child.stdout).toContain('died')
        const rig = await openWorkflows(folder)
        try {
          // The transport hands the message in again, as after every restart.
          const run_id = await rig.say(CRASH_MESSAGE, { id: 'one' })
          expect(await rig.ended(run_id)).toMatchObject({ status: 'done' })
          const effects = rig.effects()
          for (const text of KNOWN)
            expect(
              effects.filter((line) => line.includes(text)),
              text,
            ).toHaveLength(1)
          expect(effects).toHaveLength(KNOWN.length)
        } finally {
          await rig.close()
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
})

const KNOWN = ['"first"', '"item a"', '"item b"', '"last ']
