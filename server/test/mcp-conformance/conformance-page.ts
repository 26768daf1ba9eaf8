import { outcomeOf, TASK_SCENARIOS, type Check, type SuiteResult, type SuiteRun } from './run-suite.ts'

export type Row = SuiteRun & {
  readonly scenario: string
  readonly direct: readonly Check[]
  readonly http: readonly Check[]
  readonly stdio: readonly Check[]
}

/**
 * Single checks that may have no result behind the gate, by scenario and check, with the reason. Every other check must be equal.
 */
const OUT_OF_SCOPE: Readonly<Record<string, string>> = {
  'server-sse-multiple-streams/server-sse-streams-functional':
    'the gate answers a list with one JSON body; the suite treats that as optional and then checks no stream',
  'server-sse-polling/server-sse-disconnect-resume':
    'the gate does not close the stream of its client when the tool server closes its own, so the suite has nothing to resume; `server/src/adapters/mcp/test/door.test.ts` tests resuming',
}

type Verdict = { readonly is: 'equal' | 'explained' | 'unequal'; readonly why: string }

/**
 * Compares the results of one scenario. A difference is explained only if nothing fails: the suite itself finds nothing to check.
 */
export function verdictOf({ scenario, direct, http, stdio }: Row): Verdict {
  const ways = [http, stdio]
  const isSame = (counts: (check: Check) => boolean) =>
    ways.every((way) => outcomeOf(way.filter(counts)).join() === outcomeOf(direct.filter(counts)).join())
  if (isSame(() => true)) return { is: 'equal', why: '' }
  const reasonFor = ({ id }: Check) => OUT_OF_SCOPE[`${scenario}/${id}`]
  const isHarmless = ways.every((way) => outcomeOf(way.filter((check) => reasonFor(check) !== undefined)).length === 0)
  if (!isHarmless || !isSame((check) => reasonFor(check) === undefined)) return { is: 'unequal', why: '' }
  const left = direct.flatMap((check) =>
    reasonFor(check) === undefined ? [] : [`\`${check.id}\`: ${reasonFor(check)}`],
  )
  return { is: 'explained', why: left.join('; ') }
}

/** The text of `server/test/mcp-conformance/results.md`, and the scenarios that are neither equal nor explained. */
export function pageOf(
  rows: readonly Row[],
  tasks: SuiteResult,
): { readonly text: string; readonly unequal: readonly string[] } {
  const judged = rows.map((row) => ({ row, verdict: verdictOf(row) }))
  const lines = judged.map(({ row, verdict: { is, why } }) => {
    const says = is === 'explained' ? `equal except for ${why}` : is
    const cells = [row.scenario, row.revision, row.suite, ...[row.direct, row.http, row.stdio].map(figures), says]
    return `| ${cells.join(' | ')} |`
  })
  const unequal = judged.filter(({ verdict }) => verdict.is === 'unequal')
  const equal = judged.filter(({ verdict }) => verdict.is === 'equal').length
  return {
    text: `${HEAD(rows.length, equal, countsOf(judged))}${lines.join('\n')}\n${TASKS_HEAD}${taskLines(tasks).join('\n')}\n`,
    unequal: [...unequal.map(({ row }) => `${row.suite} ${row.revision} ${row.scenario}`), ...failedIn(tasks)],
  }
}

/** The same per suite and revision. */
function countsOf(judged: readonly { readonly row: Row; readonly verdict: Verdict }[]): string {
  const runs = new Map<string, { all: number; equal: number }>()
  for (const { row, verdict } of judged) {
    const name = `${row.suite} on ${row.revision}`
    const { all, equal } = runs.get(name) ?? { all: 0, equal: 0 }
    runs.set(name, { all: all + 1, equal: equal + (verdict.is === 'equal' ? 1 : 0) })
  }
  return [...runs].map(([name, { all, equal }]) => `${name}: ${equal} of ${all}`).join('; ')
}

const taskLines = (tasks: SuiteResult): readonly string[] =>
  [...tasks].map(([scenario, checks]) => {
    const why = TASK_SCENARIOS[scenario] ?? ''
    return `| ${scenario} | ${why === '' ? figures(checks) : ''} | ${why === '' ? '' : `out of scope: ${why}`} |`
  })

/** There is nothing to compare with here: every check must pass, and a scenario without checks is a failure. */
const failedIn = (tasks: SuiteResult): readonly string[] =>
  [...tasks].flatMap(([scenario, checks]) =>
    TASK_SCENARIOS[scenario] === '' &&
    (checks.length === 0 || outcomeOf(checks).some((one) => !one.startsWith('SUCCESS ')))
      ? [scenario]
      : [],
  )

const TASKS_HEAD = `
## The extension for tasks

The gate itself makes tasks of calls (2026-07-28, [MCP clients](../../../docs/connect.md#mcp)), so there is nothing to compare it with. A figure is
the number of passed checks and of all checks of suite 0.2.0-alpha.12. The tools that the suite needs are behind the gate.

| scenario | gate | |
| --- | --- | --- |
`

function figures(checks: readonly Check[]): string {
  const counted = checks.filter(({ status }) => status !== 'INFO')
  const passed = counted.filter(({ status }) => status === 'SUCCESS').length
  return `${passed}/${counted.length}`
}

const HEAD = (all: number, equal: number, counts: string) => `# MCP conformance

This page compares the same reference server called directly and called through the gate (passthrough surface, everything
allowed), over streamable HTTP and over stdio. It contains every server scenario of both releases of the official suite and is
written by \`npm run test:conformance -- --write\`. In ${equal} of ${all} scenarios all checks have equal results
(${counts}). In the others, one check has no result behind the gate; the table names it and the reason, and all
other checks have equal results. A figure is the number of passed checks and of all checks.

The suites use fixed names for tools and prompts and send no key. A small adapter in front of the gate adds the key, the surface
and \`server__\` before the names (\`server/test/mcp-conformance/name-adapter.ts\`) and changes nothing else.

| scenario | MCP | suite | direct | gate, HTTP | gate, stdio | |
| --- | --- | --- | --- | --- | --- | --- |
`
