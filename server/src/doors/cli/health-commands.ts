import type { Command } from 'commander'
import type { Result } from '../../contract/problems.ts'
import type { Finding } from './boot-reports.ts'
import { EXIT } from './exit-codes.ts'
import { asBody, count, printProblem, type Out } from './print.ts'
import type { Session } from './session.ts'

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
    .description('restore a backup to a data folder, and verify its audit')
    .action(async (file: string) => {
      const done = await session.restore(file)
      session.exit(
        printed(
          session.out(),
          done,
          ({ data, files, entries }) =>
            `${data}: the ledger and ${count(files, 'file')}; the audit verifies, ${count(entries ?? 0, 'entry', 'entries')}`,
        ),
      )
    })
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
