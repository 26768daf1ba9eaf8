import type { Command } from 'commander'
import { problem } from '../../contract/problems.ts'
import type { InitReport, InitOptions } from './boot-reports.ts'
import { EXIT } from './exit-codes.ts'
import { confirmed } from './confirm.ts'
import { asBody, printProblem, type Out } from './print.ts'
import type { Session } from './session.ts'

type Words = { from?: string[]; write?: boolean; undo?: boolean; dryRun?: boolean; yes?: boolean }

/** Moves the tool servers of MCP clients behind the gate, and back. */
export function addInitCommands(program: Command, session: Session): void {
  program
    .command('init')
    .description('write sluice.yaml with the servers of your MCP clients, and connect the clients to the gate instead')
    .option('--from <client or file...>', 'only these clients, or a file that contains `mcpServers`')
    .option('--write', 'replace the servers in the client configurations with the gate, after a backup')
    .option('--undo', 'restore the client configurations from before the last `--write`')
    .option('--dry-run', 'show what would be done, and change nothing')
    .option('--yes', 'do not ask before changing files of other programs')
    .action(async (words: Words) => {
      const initOptions: InitOptions = {
        from: words.from ?? [],
        write: words.write === true,
        undo: words.undo === true,
        dry_run: words.dryRun === true,
      }
      const out = session.out()
      if (initOptions.write && !initOptions.dry_run && words.yes !== true && !(await agreed(session, initOptions))) {
        session.exit(EXIT.problem)
        return
      }
      const done = await session.init(initOptions)
      if (!done.ok) {
        if (out.json) out.line(JSON.stringify(asBody(done.problem)))
        session.exit(out.json ? EXIT.problem : printProblem(out, asBody(done.problem)))
        return
      }
      if (out.json) out.line(JSON.stringify(done.value, null, 2))
      else if (initOptions.undo) printUndone(out, done.value)
      else printInit(out, done.value, initOptions)
    })
}

/** In a terminal, show what would change and ask first. */
async function agreed(session: Session, initOptions: InitOptions): Promise<boolean> {
  const out = session.out()
  if (out.json || !process.stdin.isTTY) {
    printProblem(out, asBody(problem('init.needs_yes')))
    return false
  }
  const planned = await session.init({ ...initOptions, dry_run: true })
  if (!planned.ok) return printProblem(out, asBody(planned.problem)) === EXIT.ok
  printInit(out, planned.value, initOptions)
  return confirmed('continue?')
}

const DONE = { written: 'wrote', extended: 'added to', unchanged: 'left as it was:' } as const
const TO_DO = { written: 'would write', extended: 'would add to', unchanged: 'would leave as it is:' } as const

function printInit(out: Out, report: InitReport, { write }: InitOptions): void {
  const added = report.dry_run ? 'would add' : 'added'
  for (const { client, file, servers } of report.clients) {
    out.line(`${client}: ${file}`)
    for (const { name, as, note, runs = [] } of servers) {
      out.line(`  ${name} ${as === undefined ? 'is not moved' : `→ ${as}`}${note === undefined ? '' : ` (${note})`}`)
      for (const line of runs) out.line(`    ${line}`, 'quiet')
    }
  }
  if (report.clients.length === 0)
    out.line('no MCP client with configured servers was found; add servers to the file by hand')
  for (const note of report.notes) out.line(`! ${note}`)
  out.line(`${(report.dry_run ? TO_DO : DONE)[report.config_is]} ${report.config}`)
  // Without `--write` the secret stays in the client's file too.
  const put = `${report.dry_run ? 'would be' : 'was'} ${write ? 'moved' : 'copied'}`
  for (const { server, key, reference } of report.secrets)
    out.line(`  ${server}.${key} ${put} to ${reference.slice('file:'.length)}`)
  for (const { file, backup } of report.changed)
    out.line(`${added} the gate to ${file}${backup === '' ? '' : `; backup: ${backup}`}`)
  if (write && report.changed.length > 0) out.line('restart these clients; `sluice init --undo` restores their files')
  if (report.changed.length === 0) {
    out.line(byHand(report, write))
    out.data(JSON.stringify(report.snippet, null, 2))
  }
  out.line('next: `sluice doctor`, then `sluice up`')
}

/** Before the entry for a client whose file was not changed. */
function byHand({ clients }: InitReport, write: boolean): string {
  const isConnected = clients.length > 0 && clients.every(({ servers }) => servers.every(({ as }) => as === undefined))
  if (isConnected) return 'there is nothing to move; to connect another client, add this to its configuration:'
  return `add this to the configuration of your client${write ? '' : ', or let `sluice init --write` do it'}:`
}

function printUndone(out: Out, { changed }: InitReport): void {
  for (const { file } of changed) out.line(`restored ${file}`)
}
