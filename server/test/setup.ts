import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, vi } from 'vitest'
import { BUILD_VARIABLE } from './built/built.ts'

/** The same examples on every machine: a failed run can be repeated. `SEED=7 RUNS=1000 npm test` uses other examples, and more of them. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_115), numRuns: Number(process.env['RUNS'] ?? 100) })

/**
 * For the processes and threads that tests start: compiling the gate takes half of their time. Beside the build, because the names
 * of compiled files include the build's path, and it is removed with the build.
 */
const build = process.env[BUILD_VARIABLE]
if (build !== undefined) process.env['NODE_COMPILE_CACHE'] = join(build, 'compile-cache')

/** Test files share a process, so what one of them sets is put back before the next one starts. */
const environment = { ...process.env }
const state = mkdtempSync(join(tmpdir(), 'sluice-state-'))
/** What the tests trust is not recorded among what the developer trusts. */
process.env['XDG_STATE_HOME'] = state
afterAll(() => {
  rmSync(state, { recursive: true, force: true })
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
})
