import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FOLDER_VARIABLE } from '../helpers/postgres-setup.ts'
import { stopPostgres } from '../helpers/start-postgres.ts'
import { hasPostgres } from '../helpers/with-postgres.ts'
import { awayPart } from './away-part.ts'
import { clockPart } from './clock-part.ts'
import { crashPart } from './crash-part.ts'
import { databaseDiskPart } from './database-disk-part.ts'
import { diskPart } from './disk-part.ts'
import { failoverPart } from './failover-part.ts'
import { redisPart } from './redis-part.ts'
import { soakPart } from './soak-part.ts'
import { upstreamPart } from './upstream-part.ts'
import { zombiePart } from './zombie-part.ts'
import { partText, type ChaosReport, type PartReport, type Progress } from './report.ts'

/**
 * `npm run test:chaos`: causes faults, checks the histories afterwards, and reports seed, faults, checks and violations. Exits with 1 when
 * there is a violation. `--only NAME` runs one part, `--seconds N` is the length of the soak, `--short` a slice of each, `--seed N` repeats a run, `--json` prints the report as JSON.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    seed: { type: 'string' },
    seconds: { type: 'string', default: '30' },
    short: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

type PartSetup = {
  readonly seed: number
  readonly isShort: boolean
  readonly hasPostgres: boolean
  readonly progress: Progress
}
const PARTS: Readonly<Record<string, (setup: PartSetup) => Promise<PartReport>>> = {
  crash: crashPart,
  away: awayPart,
  failover: failoverPart,
  redis: redisPart,
  disk: diskPart,
  'database-disk': databaseDiskPart,
  clock: clockPart,
  upstream: upstreamPart,
  zombie: zombiePart,
  soak: (setup) => soakPart({ ...setup, seconds: Number(values.seconds) }),
}

const unknown = (values.only ?? []).filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  process.stderr.write(
    `--only takes one of ${Object.keys(PARTS).join(', ')}, not ${unknown.join(', ')}; repeat it for several\n`,
  )
  process.exit(64)
}

function saysOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

/** Something that had to happen did not. The other parts still run. */
const brokenOff =
  (part: string) =>
  (error: unknown): PartReport => ({
    part,
    faults: {},
    checks: {},
    violations: [{ kind: 'left_open', about: part, says: saysOf(error) }],
  })

const seed = Number(values.seed ?? Date.now() % 1_000_000)
const postgres = (process.env[FOLDER_VARIABLE] = mkdtempSync(join(tmpdir(), 'sluice-chaos-postgres-')))
const started = performance.now()
const parts: PartReport[] = []
const say = (text: string) => (values.json ? process.stderr : process.stdout).write(text)
const asked = Object.entries(PARTS).filter(([name]) => values.only === undefined || values.only.includes(name))
const secondsSince = (from: number): number => Math.round((performance.now() - from) / 1000)
const results = resolve(import.meta.dirname, '../../../bench/results')
mkdirSync(results, { recursive: true })

/** Written after every step, so that a run that is interrupted leaves what it has found, and says what is missing. */
function write(unfinished?: PartReport): ChaosReport {
  const all = unfinished === undefined ? parts : [...parts, unfinished]
  const violations = all.reduce((sum, part) => sum + part.violations.length, 0)
  const missing = asked.slice(parts.length).map(([name]) => name)
  const written: ChaosReport = { suite: 'chaos', seed, seconds: secondsSince(started), parts: all, missing, violations }
  writeFileSync(join(results, 'chaos.json'), `${JSON.stringify(written, undefined, 2)}\n`)
  return written
}

try {
  say(`seed ${seed}\n`)
  for (const [name, part] of asked) {
    const begun = performance.now()
    const progress: Progress = (done, sofar) => {
      process.stderr.write(`${name}: ${done}, ${sofar.violations.length} violations, ${secondsSince(begun)} s\n`)
      write(sofar)
    }
    const found = await part({ seed, isShort: values.short, hasPostgres, progress }).catch(brokenOff(name))
    const report = { ...found, seconds: secondsSince(begun) }
    parts.push(report)
    say(partText(report))
    write()
  }
} finally {
  await stopPostgres(postgres)
  rmSync(postgres, { recursive: true, force: true })
}
const report = write()
const { violations, seconds } = report
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`)
say(`${violations} violations in ${seconds} s, seed ${seed}\n`)
process.exit(violations === 0 ? 0 : 1)
