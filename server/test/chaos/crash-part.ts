import { crashCases, runCases, type StoreName } from './crash-cases.ts'
import type { PartReport, Progress } from './report.ts'

const AT_ONCE = 4
/** In a slice: every case of so many. */
const SLICE = 16

/** SIGKILL at each named point, before and after each commit, on both stores; each effect performed twice. */
export async function crashPart(setup: {
  readonly seed: number
  readonly isShort: boolean
  readonly hasPostgres: boolean
  readonly progress: Progress
}): Promise<PartReport> {
  const stores: readonly StoreName[] = setup.hasPostgres ? ['embedded', 'postgres'] : ['embedded']
  const cases = (await Promise.all(stores.map(crashCases))).flat()
  const chosen = setup.isShort ? cases.filter((_, index) => (index + setup.seed) % SLICE === 0) : cases
  const report = await runCases(chosen, setup.seed, AT_ONCE, setup.progress)
  return setup.hasPostgres ? report : { ...report, notes: ['SKIPPED on Postgres: there is none for this machine'] }
}
