import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suiteFile, type SuiteVersion } from './peers.ts'

/** One release of the suite, run for one revision of MCP. */
export type SuiteRun = { readonly suite: SuiteVersion; readonly revision: string }
export const RUNS: readonly SuiteRun[] = [
  { suite: '0.1.16', revision: '2025-11-25' },
  { suite: '0.2.0-alpha.12', revision: '2025-11-25' },
  { suite: '0.2.0-alpha.12', revision: '2026-07-28' },
]

export type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string }
/** The checks of every scenario, by the scenario's name. */
export type SuiteResult = ReadonlyMap<string, readonly Check[]>

const NAME = /^server-(.+)-\d{4}-\d\d-\d\dT/

/** The scenarios of the extension for tasks; a text says why one does not apply to a gate. */
export const TASK_SCENARIOS: Readonly<Record<string, string>> = {
  'tasks-lifecycle': '',
  'tasks-capability-negotiation': '',
  'tasks-wire-fields': '',
  'tasks-request-state-removal': '',
  'tasks-request-headers': '',
  'tasks-dispatch-and-envelope': '',
  'tasks-status-notifications': 'the suite skips it',
  'tasks-required-task-error': 'no tool has to be called as a task',
  'tasks-mrtr-input': 'the gate asks the client nothing within a task',
  'tasks-mrtr-composition': 'the gate asks the client nothing within a task',
}

/** Runs every server scenario of a release against an address. */
export const runSuite = ({ suite, revision }: SuiteRun, url: string): Promise<SuiteResult> =>
  run(suite, url, ['--suite', 'all', '--spec-version', revision])

/** Runs the scenarios of the extension for tasks. */
export async function runTasks(url: string): Promise<SuiteResult> {
  const results = new Map<string, readonly Check[]>()
  for (const [scenario, why] of Object.entries(TASK_SCENARIOS)) {
    const found = why === '' ? await run('0.2.0-alpha.12', url, ['--scenario', scenario, '--timeout', '60000']) : []
    results.set(
      scenario,
      [...found].flatMap(([, checks]) => checks),
    )
  }
  return results
}

async function run(suite: SuiteVersion, url: string, which: readonly string[]): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-conformance-'))
  const words = ['server', '--url', url, ...which, '-o', folder]
  const child = spawn(process.execPath, [suiteFile(suite), ...words], { stdio: 'ignore' })
  await new Promise((done) => child.once('exit', done))
  const results = new Map<string, readonly Check[]>()
  for (const name of readdirSync(folder)) {
    const scenario = NAME.exec(name)?.[1] ?? name
    results.set(scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[])
  }
  rmSync(folder, { recursive: true })
  return results
}

/** The results of a scenario, sorted. Informational notes are not results. */
export const outcomeOf = (checks: readonly Check[]): readonly string[] =>
  checks
    .filter(({ status }) => status !== 'INFO')
    .map(({ id, status }) => `${status} ${id}`)
    .sort()
