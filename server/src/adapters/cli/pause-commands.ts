import type { Command } from 'commander'
import { confirmed, hasTerminal } from './confirm.ts'
import { EXIT } from './exit-codes.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from './passphrase-commands.ts'
import { pauseLine, unpauseHint } from './print-pauses.ts'
import { itemsOf, printReply, textOf } from './print.ts'
import type { Cli } from './cli.ts'

const SCOPES = 'all, caller:ID, tool:ID or server:NAME'

/** Pauses calls, and ends pauses. */
export function addPauseCommands(program: Command, cli: Cli): void {
  program
    .command('pause [scope]')
    .description(`stop calls immediately: ${SCOPES}`)
    .option('--ask', 'hold the calls for approval instead of refusing them')
    .option('--reason <text>', 'shown to everyone affected', '')
    .option(...PASSPHRASE_FILE)
    .action(async (scope: string | undefined, options: { ask?: boolean; reason: string } & WithPassphrase) => {
      if (scope === undefined && !(await isEverythingMeant(cli))) return
      const order = { scope: scope ?? 'all', effect: options.ask === true ? 'ask' : 'block', reason: options.reason }
      await send(cli, options, { ...order, active: true }, `${order.scope}: paused (${order.effect})`)
    })
  program
    .command('unpause [scope]')
    .description(
      `end a pause: ${SCOPES}. Without a scope it ends the pause of \`all\`; other pauses have to be ended by name`,
    )
    .option(...PASSPHRASE_FILE)
    .action(async (scope: string = 'all', options: WithPassphrase = {}) => {
      const paused = itemsOf((await cli.send('GET', '/v1/pauses')).body)
      // `unpause caller:NAME` also ends the pauses of that name's users.
      const isPaused = paused.some((one) => one['scope'] === scope || textOf(one['scope']).startsWith(`${scope} user:`))
      const done = `${scope}: ${isPaused ? 'no longer paused' : 'was not paused'}`
      await send(cli, options, { scope, active: false }, done)
    })
  program
    .command('pauses')
    .description('list what is paused, since when and why')
    .action(async () => {
      const reply = await cli.send('GET', '/v1/pauses')
      const out = cli.out()
      cli.exit(
        printReply(out, reply, (body) => {
          if (itemsOf(body).length === 0) out.line('nothing is paused')
          for (const pause of itemsOf(body)) out.line(`${pauseLine(pause)}; ${unpauseHint(pause)}`, 'held')
        }),
      )
    })
}

/** `sluice pause` alone would stop every agent, so it asks first. */
async function isEverythingMeant(cli: Cli): Promise<boolean> {
  if (!hasTerminal()) {
    cli.fail(`specify what to pause: ${SCOPES}; sluice pause all stops every call`)
    return false
  }
  if (await confirmed('this stops every call of every agent. Continue?')) return true
  cli.out().error('nothing was paused')
  cli.exit(EXIT.problem)
  return false
}

async function send(cli: Cli, { passphraseFile }: WithPassphrase, order: object, done: string): Promise<void> {
  const reply = await sendProven(cli, '/v1/pauses', passphraseFile, order)
  cli.exit(printReply(cli.out(), reply, () => cli.out().line(done)))
}
