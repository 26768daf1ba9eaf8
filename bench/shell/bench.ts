import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decide, JUDGEMENT } from '../../server/test/judging.ts'
import { asCalled } from '../../server/src/kernel/decide/as-called.ts'
import { compilePolicy } from '../../server/src/kernel/policy/compile-policy.ts'
import { callWith, neutralFacts, toolWith } from '../../server/src/kernel/decide/neutral-facts.suite.ts'
import { columns, complaint, quantile, valuesOf, type Bench } from '../bench.ts'

/** Our own lists: the first existed while the table was written; the others were written afterwards and measured before anything was changed. */
const OWN = ['commands.jsonl', 'second-list.jsonl', 'third-list.jsonl'].map((name) => join(import.meta.dirname, name))

type Line = { readonly command: string; readonly acts: boolean }
type Row = {
  readonly system: 'sluice'
  readonly data: string
  readonly acting: number
  readonly acting_not_allowed: number
  readonly harmless: number
  readonly harmless_not_allowed: number
  readonly us_p50: number
  readonly us_max: number
}
type Report = {
  readonly bench: 'shell'
  readonly rows: readonly Row[]
  /** The commands that were judged wrongly. */
  readonly wrong: readonly Line[]
}

/** Of commands with effects: how many are not simply allowed. Of harmless ones: how many are asked about. Preset `careful`, no rules. */
export const bench: Bench<Report> = {
  run(options) {
    const given = valuesOf(options, '--data')
    const judged = (given.length > 0 ? given : OWN).map((file) => judgeFile(file))
    return Promise.resolve({
      bench: 'shell',
      rows: judged.map(({ row }) => row),
      wrong: judged.flatMap(({ wrong }) => wrong),
    })
  },
  table({ rows, wrong }) {
    return [
      columns([
        ['list', 'acting', 'not allowed', 'harmless', 'asked about', 'µs p50', 'µs max'],
        ...rows.map((row) => [
          row.data,
          row.acting,
          share(row.acting_not_allowed, row.acting),
          row.harmless,
          share(row.harmless_not_allowed, row.harmless),
          row.us_p50.toFixed(0),
          row.us_max.toFixed(0),
        ]),
      ]),
      ...wrong.map(({ command, acts }) => `${acts ? 'allowed' : 'asked about'}: ${command}`),
    ].join('\n')
  },
}

const policy = compiled()

function compiled() {
  const found = compilePolicy({ text: 'preset: careful', file: 'bench' }, { digest: () => 'bench' })
  if (!found.ok) throw complaint('the preset `careful` does not compile')
  return found.value
}

function judgeFile(file: string): { row: Row; wrong: Line[] } {
  const lines = linesOf(file)
  const times: number[] = []
  const wrong = lines.filter(({ command, acts }) => {
    const from = performance.now()
    const allowed = isAllowed(command)
    times.push((performance.now() - from) * 1000)
    return allowed === acts
  })
  const acting = lines.filter(({ acts }) => acts)
  const missed = wrong.filter(({ acts }) => acts).length
  const sorted = times.sort((a, b) => a - b)
  const row: Row = {
    system: 'sluice',
    data: file.split('/').at(-1) ?? file,
    acting: acting.length,
    acting_not_allowed: acting.length - missed,
    harmless: lines.length - acting.length,
    harmless_not_allowed: wrong.length - missed,
    us_p50: quantile(sorted, 0.5),
    us_max: sorted.at(-1) ?? 0,
  }
  return { row, wrong }
}

function isAllowed(command: string): boolean {
  const tool = { ...toolWith({ command: { type: 'string' } }, ['privileged']), shell: 'command' }
  const call = callWith({ command })
  return decide(policy, call, neutralFacts(asCalled(JUDGEMENT, tool, call))).effect === 'allow'
}

function linesOf(file: string): Line[] {
  if (!existsSync(file)) throw complaint(`there is no file ${file}`)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line)
}

const share = (some: number, all: number) => (all === 0 ? '-' : `${some} (${(some / all).toFixed(3)})`)
