import type { Command } from 'commander'
import type { Result } from '../kernel/contract/problems.ts'
import type { RestoreReport } from './restore.ts'
import { confirmed, hasTerminal } from '../adapters/cli/confirm.ts'
import { EXIT } from '../adapters/cli/exit-codes.ts'
import { asBody, count, printProblem, type Out } from '../adapters/cli/print.ts'
import type { Cli } from '../adapters/cli/cli.ts'

/** Backup and restore. */
export function addBackupCommands(program: Command, cli: Cli): void {
  program
    .command('backup <file>')
    .description('back up the whole data folder (ledger, keys, artifacts) to one file; the gate may be running')
    .action(async (file: string) => {
      const done = await (await import('./backup.ts')).backUpData(cli.globals(), file)
      cli.exit(
        printed(
          cli.out(),
          done,
          ({ bytes, files }) =>
            `${file}: ${count(bytes, 'byte')}, the ledger and ${count(files, 'file')}; keep it secret`,
        ),
      )
    })
  program
    .command('restore <file>')
    .description(
      'restore a backup to a data folder, verify its audit, and end the requests, runs and consents that were open in it',
    )
    .action(async (file: string) => {
      const out = cli.out()
      const done = await (await import('./restore.ts')).restoreData(cli.globals(), file)
      cli.exit(printed(out, done, restoredText))
      if (!done.ok || out.json || done.value.keys.length === 0 || !hasTerminal()) return
      if (!(await confirmed('revoke all of these keys now?'))) return
      const { revokeRestored } = await import('./restore.ts')
      const keys = done.value.keys.map(({ key_id }) => key_id)
      cli.exit(printed(out, await revokeRestored(cli.globals(), keys), () => 'revoked'))
    })
}

function restoredText({ data, files, entries, ended, taken, keys }: RestoreReport): string {
  const { withdrawn, unknown, consents, runs, logins } = ended
  const lines = [
    `${data}: the ledger and ${count(files, 'file')}; the audit verifies, ${count(entries, 'entry', 'entries')}`,
    `ended, because what happened to them after the backup is not known: ${count(withdrawn, 'request')} for approval, ` +
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
  if (keys.length > 0) lines.push('these keys are valid, perhaps also keys that were revoked after the backup:')
  for (const { key_id, caller, user } of keys) lines.push(`  ${key_id}  ${caller} of ${user}`)
  if (keys.length > 0) lines.push('revoke those that nobody should have: `sluice keys revoke KEY`, when the gate runs')
  return lines.join('\n')
}

/** Commands for the store. */
export function addStoreCommands(program: Command, cli: Cli): void {
  const store = program.command('store').description('where the gate keeps its data')
  store
    .command('move <address>')
    .description("copy the data folder's store into an empty Postgres database; no gate may run on the folder")
    .option('--schema <name>', 'the schema in that database', 'sluice')
    .action(async (address: string, { schema }: { schema: string }) => {
      const done = await (await import('./move-data.ts')).moveData(cli.globals(), address, schema)
      cli.exit(
        printed(
          cli.out(),
          done,
          ({ rows, artifacts, entries }) =>
            `copied ${count(rows, 'row')} and ${count(artifacts, 'artifact')}; the audit verifies on both sides, ${count(entries, 'entry', 'entries')}. Set \`store.postgres\` to that address`,
        ),
      )
    })
}

function printed<T>(out: Out, done: Result<T>, human: (report: T) => string): number {
  if (!done.ok && !out.json) return printProblem(out, asBody(done.problem))
  if (out.json) out.line(JSON.stringify(done.ok ? done.value : asBody(done.problem)))
  else if (done.ok) out.line(human(done.value))
  return done.ok ? EXIT.ok : EXIT.problem
}
