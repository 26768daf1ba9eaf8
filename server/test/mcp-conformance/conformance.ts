import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { pageOf, type Row } from './conformance-page.ts'
import { installPeers } from '../peers/install-peers.ts'
import { direct, tasksThroughGate, throughGate } from './reference-gate.ts'
import { outcomeOf, RUNS, runSuite, runTasks, type Check, type SuiteResult } from './run-suite.ts'

/** Every server scenario of both releases: the reference server directly, and behind the gate over HTTP and over stdio. */
if (!(await installPeers())) process.exit(2)

const rows: Row[] = []
const isVerbose = process.argv.includes('--verbose')
const ways = await Promise.all([direct(), throughGate('http'), throughGate('stdio')])
try {
  for (const run of RUNS) {
    const results: SuiteResult[] = []
    for (const { url } of ways) results.push(await runSuite(run, url))
    const [alone, http, stdio] = results
    for (const [scenario, checks] of alone ?? []) {
      const row = {
        ...run,
        scenario,
        direct: checks,
        http: http?.get(scenario) ?? [],
        stdio: stdio?.get(scenario) ?? [],
      }
      rows.push(row)
      if (isVerbose) for (const way of ['http', 'stdio'] as const) tellDifferences(row, way)
    }
  }
} finally {
  await Promise.all(ways.map((way) => way.stop()))
}
const gate = await tasksThroughGate()
const tasks = await runTasks(gate.url)
await gate.stop()
const { text, unequal } = pageOf(rows, tasks)
if (process.argv.includes('--write')) {
  const page = resolve(import.meta.dirname, 'results.md')
  writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: 'markdown' }))
}
process.stdout.write(`${rows.length} scenarios, ${unequal.length} unequal and not explained\n`)
for (const each of unequal) process.stdout.write(`  ${each}\n`)
process.exitCode = unequal.length === 0 ? 0 : 1

function tellDifferences(row: Row, way: 'http' | 'stdio'): void {
  const [before, after] = [outcomeOf(row.direct), outcomeOf(row[way])]
  if (before.join() === after.join()) return
  process.stdout.write(`${row.suite} ${row.revision} ${row.scenario} over ${way}\n`)
  const says = (checks: readonly Check[]) => checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
  for (const { id, status, errorMessage } of says(row[way]))
    process.stdout.write(`    ${status} ${id}: ${(errorMessage ?? '').slice(0, 300)}\n`)
}
