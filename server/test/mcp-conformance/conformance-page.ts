import { outcomeOf, type Check, type SuiteRun } from './run-suite.ts'

export type Row = SuiteRun & {
  readonly scenario: string
  readonly direct: readonly Check[]
  readonly http: readonly Check[]
  readonly stdio: readonly Check[]
}

/** Scenarios whose results differ, and why they may. */
export const OUT_OF_SCOPE: Readonly<Record<string, string>> = {}

const isEqual = (row: Row, way: 'http' | 'stdio') => outcomeOf(row.direct).join() === outcomeOf(row[way]).join()

/** `docs/conformance.md`, and what is neither equal nor explained. */
export function pageOf(rows: readonly Row[]): { readonly text: string; readonly unequal: readonly string[] } {
  const unequal: string[] = []
  const lines = rows.map((row) => {
    const equal = isEqual(row, 'http') && isEqual(row, 'stdio')
    const why = OUT_OF_SCOPE[row.scenario]
    if (!equal && why === undefined) unequal.push(`${row.suite} ${row.revision} ${row.scenario}`)
    const verdict = equal ? 'equal' : why === undefined ? '**unequal**' : `out of scope: ${why}`
    const cells = [row.scenario, row.revision, row.suite, ...[row.direct, row.http, row.stdio].map(figures), verdict]
    return `| ${cells.join(' | ')} |`
  })
  const equal = rows.filter((row) => isEqual(row, 'http') && isEqual(row, 'stdio')).length
  return { text: `${HEAD(rows.length, equal)}${lines.join('\n')}\n`, unequal }
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
