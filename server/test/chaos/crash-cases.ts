import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshSchema, testDatabase } from '../helpers/with-postgres.ts'
import { dieIn, type Died } from '../crash/dying.ts'
import { checkHistory } from './check-history.ts'
import { doWork, openWork, recordTo, type WorkPlace } from './chaos-work.ts'
import type { ClientRecord, Violation } from './history.ts'
import { logIn } from './logged-tools.ts'
import { pick, seeded } from './random.ts'
import { hashOf, readLedger, readReceipts } from './read-history.ts'
import { addCounts, type PartReport, type Progress } from './report.ts'

export type StoreName = 'embedded' | 'postgres'
export type Kill = { readonly at: string; readonly nth: number }
export type WorkOrder = {
  readonly place: WorkPlace
  readonly records: string
  readonly twice?: 'in turn' | 'at once'
}
export type CrashCase = { readonly store: StoreName; readonly kill?: Kill; readonly twice?: WorkOrder['twice'] }

const WORK = join(import.meta.dirname, 'dying-work.ts')

async function placeFor(folder: string, store: StoreName): Promise<WorkPlace> {
  if (store === 'embedded') return { folder }
  return { folder, store: { postgres: await testDatabase(), schema: freshSchema() } }
}

/** How often each point and commit is reached when nothing is killed. */
export async function countPoints(store: StoreName): Promise<Readonly<Record<string, number>>> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chaos-'))
  try {
    const ran = await dieIn(WORK, undefined, {
      place: await placeFor(folder, store),
      records: join(folder, 'records.txt'),
    })
    const found = /survived (.*)/.exec(ran.out)?.[1]
    if (found === undefined) throw new Error(`the work did not end: ${ran.out} ${ran.err}`)
    return JSON.parse(found) as Record<string, number>
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Kills a gate in the middle of the work, lets another finish it, and checks the history. */
export async function runCase({ store, kill, twice }: CrashCase, seed: number): Promise<PartReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chaos-'))
  const random = seeded(seed)
  try {
    const place = await placeFor(folder, store)
    const records = join(folder, 'records.txt')
    const ran = await dieIn(WORK, kill, { place, records, twice })
    const hasDied = ran.signal === 'SIGKILL'
    if (!hasDied && !ran.out.includes('survived')) throw new Error(`the gate ended by itself: ${ran.out} ${ran.err}`)
    const work = await openWork(place)
    await doWork(work, recordTo(records), () => pick(random, ['retry', 'done', 'failed'] as const))
    await work.opened.close()
    const name = [store, kill === undefined ? '' : `${kill.at} ${kill.nth}`, twice ?? ''].filter(Boolean).join(', ')
    return { ...(await checkFolder(place, records)), part: name, faults: faultsOf(hasDied, kill, twice, ran) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function faultsOf(
  hasDied: boolean,
  kill: Kill | undefined,
  twice: string | undefined,
  ran: Died,
): Record<string, number> {
  const repeated = [...ran.out.matchAll(/"twice [^"]+":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  return {
    ...(hasDied && kill !== undefined ? { [`SIGKILL at ${kill.at}`]: 1 } : {}),
    ...(twice === undefined || repeated === 0 ? {} : { [`effects performed twice, ${twice}`]: repeated }),
  }
}

async function checkFolder(
  { folder, store }: WorkPlace,
  recordsIn: string,
): Promise<{ readonly checks: Record<string, number>; readonly violations: readonly Violation[] }> {
  const settings = store as { postgres: string; schema: string } | undefined
  const history = {
    ...(await readLedger({
      folder: join(folder, 'data'),
      ...(settings === undefined ? {} : { postgres: { url: settings.postgres, schema: settings.schema } }),
    })),
    receipts: readReceipts(logIn(folder)),
    records: readRecords(recordsIn),
  }
  return {
    violations: checkHistory(history, {
      hashOf,
      isQuiet: true,
      isOneClock: true,
      isLogged: ({ server }) => server === 'log',
    }),
    checks: {
      histories: 1,
      calls: history.calls.length,
      receipts: history.receipts.length,
      decisions: history.records.filter(({ is }) => is === 'decision').length,
      'audit entries': history.audit.length,
    },
  }
}

export function readRecords(file: string): readonly ClientRecord[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as ClientRecord] : []))
}

/** Each named point at its first and last time, before and after each commit, and each effect twice. */
export async function crashCases(store: StoreName): Promise<readonly CrashCase[]> {
  const counts = Object.entries(await countPoints(store))
  const kills = counts.flatMap(([at, count]) => {
    const times = at.startsWith('commit') ? Array.from({ length: count }, (_, index) => index + 1) : [1, count]
    return [...new Set(times)].map((nth): CrashCase => ({ store, kill: { at, nth } }))
  })
  return [...kills, { store, twice: 'in turn' }, { store, twice: 'at once' }]
}

/** Something that had to happen in one case did not. The other cases are run all the same. */
const unfinished =
  ({ store, kill, twice }: CrashCase) =>
  (error: unknown): PartReport => ({
    part: [store, kill === undefined ? '' : `${kill.at} ${kill.nth}`, twice ?? ''].filter(Boolean).join(', '),
    faults: {},
    checks: {},
    violations: [
      { kind: 'left_open', about: 'the case', says: error instanceof Error ? error.message : String(error) },
    ],
  })

/** Several at a time: most of them wait for a process, a disk or a lease. */
export async function runCases(
  cases: readonly CrashCase[],
  seed: number,
  atOnce: number,
  progress: Progress = () => {},
): Promise<PartReport> {
  let total: PartReport = { part: 'crash points', faults: {}, checks: {}, violations: [] }
  const queue = [...cases.entries()]
  let done = 0
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, one] = next
      const report = await runCase(one, seed + index).catch(unfinished(one))
      const violations = report.violations.map((found) => ({ ...found, about: `[${report.part}] ${found.about}` }))
      total = {
        ...total,
        faults: addCounts(total.faults, report.faults),
        checks: addCounts(total.checks, report.checks),
        violations: [...total.violations, ...violations],
      }
      done += 1
      progress(`${done} of ${cases.length} (${report.part})`, total)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return total
}
