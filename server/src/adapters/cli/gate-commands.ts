import { hostname } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { problem, type Result } from '../../kernel/contract/problems.ts'
import type { Cli, Globals } from './cli.ts'
import { UNREACHED } from './client.ts'
import { confirmed, hasTerminal } from './confirm.ts'
import { EXIT } from './exit-codes.ts'
import { nameOf } from './packet-lines.ts'
import { asBody, count, fieldsOf, printProblem, printReply, textOf, type PrintedFields, type Out } from './print.ts'

const LOOK_MS = 50
/** The gate gives running requests ten seconds, then finishes its own work. */
const PATIENCE_MS = 60_000

/** Stops the gate of this folder, however it was started, and waits until the folder is free. */
export function addDownCommand(program: Command, cli: Cli): void {
  program
    .command('down')
    .description('stop the gate of this folder, after calls in progress have finished')
    .action(async () => {
      const out = cli.out()
      if (cli.isElsewhere()) return cli.fail('a remote gate cannot be stopped from here; stop it on its own machine')
      const reply = await cli.ask('GET', '/healthz')
      const { pid, host } = fieldsOf(reply.body)
      if (reply.status <= UNREACHED) return cli.exit(printReply(out, reply, () => {}))
      if (typeof pid !== 'number') {
        out.error('this gate is an older release that does not report its process id')
        out.error('  stop it where it was started: Ctrl-C, SIGTERM, or your service manager')
        return cli.exit(EXIT.problem)
      }
      // The folder may be shared between machines or containers, where the same pid is another process.
      if (host !== hostname()) {
        out.error(`the gate is running on \`${textOf(host)}\`; stop it there`)
        return cli.exit(EXIT.problem)
      }
      process.kill(pid, 'SIGTERM')
      const until = Date.now() + PATIENCE_MS
      while (isAlive(pid) && Date.now() < until) await sleep(LOOK_MS)
      const stopped = !isAlive(pid)
      if (out.json) out.line(JSON.stringify({ stopped, pid }))
      else if (stopped) out.line('the gate has stopped')
      else out.error(`the gate is still running as process ${pid}`)
      return cli.exit(stopped ? EXIT.ok : EXIT.problem)
    })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

type Words = { user: string; withdraw?: boolean; yes?: boolean }

/** Deletes one person's arguments, outputs and artifacts now. */
export function addEraseCommand(program: Command, cli: Cli): void {
  program
    .command('erase')
    .description("delete one user's arguments, outputs and artifacts now")
    .requiredOption('--user <name>', 'the user whose calls are deleted')
    .option('--withdraw', 'also withdraw and delete calls that are waiting for approval')
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ user, withdraw = false, yes = false }: Words) => {
      const out = cli.out()
      if (!yes && !(await isErasureMeant(out, user))) return cli.exit(EXIT.usage)
      const reply = await cli.send('POST', '/v1/erasures', { user, withdraw })
      const code = printReply(out, reply, (body) => printErased(out, body))
      const open = fieldsOf(reply.body)['open']
      cli.exit(code === EXIT.ok && Array.isArray(open) && open.length > 0 ? EXIT.problem : code)
    })
}

async function isErasureMeant(out: Out, user: string): Promise<boolean> {
  if (out.json || !process.stdin.isTTY) {
    printProblem(out, asBody(problem('erase.needs_yes', { user })))
    return false
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const said = await lines.question(`delete all data of ${JSON.stringify(user)}? This cannot be undone. [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(said.trim())
}

function printErased(out: Out, body: PrintedFields): void {
  const { user, calls, runs, artifacts } = body
  out.line(`${textOf(user)}: ${textOf(calls)} calls, ${textOf(runs)} runs and ${textOf(artifacts)} artifacts deleted`)
  const open = Array.isArray(body['open']) ? body['open'].map(textOf) : []
  if (open.length === 0) return
  out.error(`not deleted, because they are still open: ${open.join(', ')}`)
  out.error('withdraw them (`--withdraw`), settle them or wait for them, then run this again')
}

/** The latest time that the gate has seen, and what becomes valid again if it is corrected to that of this machine's clock. */
export type ClockReport = {
  readonly from: number
  readonly to: number
  /** The names of keys. */
  readonly keys: readonly string[]
  readonly consents: number
  readonly corrected: boolean
}

/** Makes this machine's clock the time of a gate that has seen a later one, after asking. No gate may run. */
type CorrectClock = (
  options: Globals,
  agrees: (report: ClockReport) => Promise<boolean>,
) => Promise<Result<ClockReport>>

/** Puts right that the gate has seen a wrong time. */
export function addClockCommands(program: Command, cli: Cli, correct: CorrectClock): void {
  program
    .command('clock')
    .description('the clock of the gate, which never runs backwards by itself')
    .command('correct')
    .description(
      "set the gate's clock back to this machine's, after a clock was wrong and ahead; the gate must be stopped",
    )
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ yes = false }: { yes?: boolean }) => {
      const out = cli.out()
      let asked = true
      const done = await correct(cli.globals(), async (report) => {
        if (yes) return true
        asked = !out.json && hasTerminal()
        if (!asked) return false
        for (const line of whatChanges(report)) out.line(line)
        return confirmed('correct the time of the gate?')
      })
      if (!done.ok) return cli.exit(printProblem(out, asBody(done.problem)))
      if (!asked) return cli.exit(printProblem(out, asBody(problem('clock.needs_yes'))))
      if (out.json) return out.line(JSON.stringify(done.value))
      const { from, to, corrected } = done.value
      if (corrected) return out.line(`the time of the gate is ${timeText(to)} again; this was recorded in the audit`)
      if (from > to) return cli.exit(EXIT.usage)
      return out.line(`nothing to correct: the gate has seen no later time than ${timeText(to)}`)
    })
}

const timeText = (at: number) => new Date(at).toISOString()
const MOST_NAMES = 20

function whatChanges({ from, to, keys, consents }: ClockReport): readonly string[] {
  const named = keys.slice(0, MOST_NAMES).map(nameOf).join(', ')
  return [
    `The gate has seen ${timeText(from)}. This machine's clock says ${timeText(to)}.`,
    'Keys, consents, approvals, logins and tokens that expired in between are valid again:',
    `  ${count(keys.length, 'key')}${keys.length === 0 ? '' : `: ${named}${keys.length > MOST_NAMES ? ', …' : ''}`}`,
    `  ${count(consents, 'consent')}`,
  ]
}
