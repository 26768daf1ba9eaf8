import type { Command } from 'commander'
import type { Result } from '../../kernel/contract/problems.ts'
import type { Finding, RestoreReport } from '../../adapters/cli/boot-reports.ts'
import { confirmed, hasTerminal } from '../../adapters/cli/confirm.ts'
import { EXIT } from '../../adapters/cli/exit-codes.ts'
import { asBody, count, printProblem, type Out } from '../../adapters/cli/print.ts'
import type { Session } from '../../adapters/cli/session.ts'

/** Doctor, backup and restore. */
export function addHealthCommands(program: Command, session: Session): void {
  program
    .command('doctor')
    .description('check the configuration and the gate, and say how to fix each finding')
    .action(async () => {
      const out = session.out()
      const report = await session.doctor()
      if (out.json) out.line(JSON.stringify(report, null, 2))
      else for (const finding of report.findings) printFinding(out, finding)
      if (!out.json) out.line(summaryOf(report.findings))
      session.exit(report.ok ? EXIT.ok : EXIT.problem)
    })
  program
    .command('backup <file>')
    .description('back up the whole data folder (ledger, keys, artifacts) to one file; the gate may be running')
    .action(async (file: string) => {
      const done = await session.backUp(file)
      session.exit(
        printed(
          session.out(),
          done,
          ({ bytes, files }) =>
            `${file}: ${count(bytes, 'byte')}, the ledger and ${count(files, 'file')}; keep it secret`,
        ),
      )
    })
  program
    .command('restore <file>')
    .description('restore a backup to a data folder, verify its audit, and end what waited when it was made')
    .action(async (file: string) => {
      const out = session.out()
      const done = await session.restore(file)
      session.exit(printed(out, done, restoredText))
      if (!done.ok || out.json || done.value.keys.length === 0 || !hasTerminal()) return
      if (!(await confirmed('revoke all of these keys now?'))) return
      session.exit(
        printed(out, await session.revokeRestored(done.value.keys.map(({ key_id }) => key_id)), () => 'revoked'),
      )
    })
}

function restoredText({ data, files, entries, ended, taken, keys }: RestoreReport): string {
  const { withdrawn, unknown, consents, runs, logins } = ended
  const lines = [
    `${data}: the ledger and ${count(files, 'file')}; the audit verifies, ${count(entries, 'entry', 'entries')}`,
    `ended, because what became of it after the backup is not known: ${count(withdrawn, 'request')} for approval, ` +
      `${count(consents, 'consent')}, ${count(runs, 'run')}, ${count(logins, 'login')}`,
  ]
  if (unknown > 0)
    lines.push(
      `${count(unknown, 'call')} had started, and its outcome is unknown: see \`sluice calls --state unknown\``,
    )
  for (const { folder, rows } of taken)
    lines.push(
      rows === undefined
        ? `! ${folder} could not be read, so nothing that happened after the backup is known`
        : `${folder}: ${count(rows, 'newer row')} taken (revocations, pauses, finished calls)`,
    )
  if (keys.length > 0)
    lines.push('these keys are valid, also those that were revoked after the backup and are not known to be:')
  for (const { key_id, caller, user } of keys) lines.push(`  ${key_id}  ${caller} of ${user}`)
  if (keys.length > 0) lines.push('revoke those that nobody should have: `sluice keys revoke KEY`, when the gate runs')
  return lines.join('\n')
}

/** Commands for the store. */
export function addStoreCommands(program: Command, session: Session): void {
  const store = program.command('store').description('where the gate keeps its data')
  store
    .command('move <address>')
    .description("copy the data folder's store into an empty Postgres database; no gate may run on the folder")
    .option('--schema <name>', 'the schema in that database', 'sluice')
    .action(async (address: string, { schema }: { schema: string }) => {
      const done = await session.move(address, schema)
      session.exit(
        printed(
          session.out(),
          done,
          ({ rows, artifacts, entries }) =>
            `copied ${count(rows, 'row')} and ${count(artifacts, 'artifact')}; the audit verifies on both sides, ${count(entries, 'entry', 'entries')}. Set \`store.postgres\` to that address`,
        ),
      )
    })
}

const MARK: Readonly<Record<Finding['severity'], string>> = { error: '✗', warning: '!', note: '·', ok: '✓' }

function printFinding(out: Out, { severity, about, says, do: remedy }: Finding): void {
  printLines(out, `${MARK[severity]} ${about}: `, says)
  if (remedy !== undefined) printLines(out, '    → ', remedy)
}

/** A finding may quote text of a tool server, so lines after the first are framed. */
function printLines(out: Out, lead: string, text: string): void {
  const [first = '', ...more] = text.split('\n')
  out.line(`${lead}${first}`)
  if (more.length > 0) out.framed(more.join('\n'), { indent: 6 })
}

function summaryOf(findings: readonly Finding[]): string {
  const of = (severity: Finding['severity']) => findings.filter((finding) => finding.severity === severity).length
  const counts = (['error', 'warning', 'note'] as const).map((severity) => count(of(severity), severity))
  return counts.join(', ')
}

function printed<T>(out: Out, done: Result<T>, human: (report: T) => string): number {
  if (!done.ok && !out.json) return printProblem(out, asBody(done.problem))
  if (out.json) out.line(JSON.stringify(done.ok ? done.value : asBody(done.problem)))
  else if (done.ok) out.line(human(done.value))
  return done.ok ? EXIT.ok : EXIT.problem
}
