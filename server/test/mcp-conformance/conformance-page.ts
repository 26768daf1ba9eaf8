import { outcomeOf, type Check, type SuiteRun } from './run-suite.ts'

export type Row = SuiteRun & {
  readonly scenario: string
  readonly direct: readonly Check[]
  readonly http: readonly Check[]
  readonly stdio: readonly Check[]
}

const OWN_STREAMS =
  'the gate answers in one JSON body unless something is said before the answer, as the protocol allows'

/** Where results may differ, by scenario or by check, and why. */
const OUT_OF_SCOPE: Readonly<Record<string, string>> = {
  'server-sse-polling': OWN_STREAMS,
  'server-sse-multiple-streams': OWN_STREAMS,
}
const reasonFor = (name: string): string | undefined => OUT_OF_SCOPE[name]

type Verdict = { readonly is: 'equal' | 'explained' | 'unequal'; readonly why: string }

/** How the results of one scenario compare, leaving out single checks that have a reason of their own. */
export function verdictOf(row: Row): Verdict {
  const ways = [row.http, row.stdio]
  const isSame = (counts: (check: Check) => boolean) =>
    ways.every((way) => outcomeOf(way.filter(counts)).join() === outcomeOf(row.direct.filter(counts)).join())
  if (isSame(() => true)) return { is: 'equal', why: '' }
  const why = reasonFor(row.scenario)
  if (why !== undefined) return { is: 'explained', why }
  if (!isSame(({ id }) => reasonFor(id) === undefined)) return { is: 'unequal', why: '' }
  const left = row.direct.flatMap(({ id }) => (reasonFor(id) === undefined ? [] : [`\`${id}\`: ${reasonFor(id)}`]))
  return { is: 'explained', why: left.join('; ') }
}

/** `docs/conformance.md`, and what is neither equal nor explained. */
export function pageOf(rows: readonly Row[]): { readonly text: string; readonly unequal: readonly string[] } {
  const judged = rows.map((row) => ({ row, verdict: verdictOf(row) }))
  const lines = judged.map(({ row, verdict: { is, why } }) => {
    const says = is === 'explained' ? `out of scope: ${why}` : is
    const cells = [row.scenario, row.revision, row.suite, ...[row.direct, row.http, row.stdio].map(figures), says]
    return `| ${cells.join(' | ')} |`
  })
  const unequal = judged.filter(({ verdict }) => verdict.is === 'unequal')
  const equal = judged.filter(({ verdict }) => verdict.is === 'equal').length
  return {
    text: `${HEAD(rows.length, equal)}${lines.join('\n')}\n`,
    unequal: unequal.map(({ row }) => `${row.suite} ${row.revision} ${row.scenario}`),
  }
}

function figures(checks: readonly Check[]): string {
  const counted = checks.filter(({ status }) => status !== 'INFO')
  const passed = counted.filter(({ status }) => status === 'SUCCESS').length
  return `${passed}/${counted.length}`
}

const HEAD = (all: number, equal: number) => `# MCP conformance

Both releases of the official suite, every server scenario, against the same reference server: called directly, and behind the
gate on the passthrough surface with everything allowed, over streamable HTTP and over stdio. Written by
\`npm run test:conformance -- --write\`; ${equal} of ${all} are equal, check by check. A figure is checks passed of checks made.

The suites know tools and prompts by fixed names and send no key. A small adapter in front of the gate adds the key, the surface
and \`server__\` before the names (\`server/test/mcp-conformance/name-adapter.ts\`); nothing else is changed on the way.

| scenario | MCP | suite | direct | gate, HTTP | gate, stdio | |
| --- | --- | --- | --- | --- | --- | --- |
`
