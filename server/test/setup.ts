import * as fc from 'fast-check'
import { afterAll, vi } from 'vitest'

/** The same examples on every machine: a red run can be repeated. `SEED=7 npm test` looks at others. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_115) })

/** Test files share a process, so what one of them sets is put back before the next one starts. */
const environment = { ...process.env }
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
})
