import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node'

const ROOT = resolve(import.meta.dirname, '../..')
/** Of the last run on this machine, every file. */
const LAST = join(ROOT, 'server/node_modules/.cache/sluice-tests/durations.json')
/** Committed, because a fresh clone has no earlier run: the files that take longest, in milliseconds. `npm run durations` writes it. */
const COMMITTED = join(import.meta.dirname, 'durations.json')
const WORTH_RECORDING_MS = 2_000
const SLOWEST = 10

const nameOf = (path: string): string => relative(ROOT, path).replaceAll('\\', '/')

/** Records how long each test file took, and lists the slowest ones. */
export class Durations implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const all = modules
      .map((module) => [nameOf(module.moduleId), Math.round(module.diagnostic().duration)] as const)
      .toSorted(([one, short], [other, long]) => long - short || one.localeCompare(other))
    mkdirSync(dirname(LAST), { recursive: true })
    write(LAST, all)
    if (process.env['SLUICE_TESTS'] === 'durations')
      write(
        COMMITTED,
        all.filter(([, ms]) => ms >= WORTH_RECORDING_MS),
      )
    if (all.length <= SLOWEST) return
    const lines = all.slice(0, SLOWEST).map(([name, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${name}`)
    console.log(`\n The slowest test files (all of them: ${nameOf(LAST)})\n${lines.join('\n')}`)
  }
}

function write(file: string, all: readonly (readonly [string, number])[]): void {
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}

/** The files that took longest start first: a long file that starts last leaves the other workers with nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const recorded = JSON.parse(readFileSync(COMMITTED, 'utf8')) as Readonly<Record<string, number>>
    const msOf = ({ moduleId }: TestSpecification): number => recorded[nameOf(moduleId)] ?? 0
    const sorted = await super.sort(files)
    // Files of one project stay together.
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).toSorted((one, other) => msOf(other) - msOf(one)),
    )
  }
}
