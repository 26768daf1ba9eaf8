import type { Command } from 'commander'
import { confirmed, hasTerminal } from './confirm.ts'
import { EXIT } from './exit-codes.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from './passphrase-commands.ts'
import { pauseLine, unpauseHint } from './print-pauses.ts'
import { itemsOf, printReply, textOf } from './print.ts'
import type { Session } from './session.ts'

const SCOPES = 'all, caller:ID, tool:ID or server:NAME'

/** Pauses calls, and ends pauses. */
export function addPauseCommands(program: Command, session: Session): void {
  program
    .command('pause [scope]')
    .description(`stop calls immediately: ${SCOPES}`)
    .option('--ask', 'hold the calls for approval instead of refusing them')
    .option('--reason <text>', 'shown to everyone affected', '')
    .option(...PASSPHRASE_FILE)
    .action(async (scope: string | undefined, options: { ask?: boolean; reason: string } & WithPassphrase) => {
      if (scope === undefined && !(await isEverythingMeant(session))) return
      const order = { scope: scope ?? 'all', effect: options.ask === true ? 'ask' : 'block', reason: options.reason }
      await send(session, options, { ...order, active: true }, `${order.scope}: paused (${order.effect})`)
    })
  program
    .command('unpause [scope]')
    .description(
      `end a pause: ${SCOPES}. Without a scope it ends the pause of \`all\`; other pauses have to be ended by name`,
    )
    .option(...PASSPHRASE_FILE)
    .action(async (scope: string = 'all', options: WithPassphrase = {}) => {
      const paused = itemsOf((await session.send('GET', '/v1/pauses')).body)
      // `unpause caller:NAME` also ends the pauses of that name's users.
      const isPaused = paused.some((one) => one['scope'] === scope || textOf(one['scope']).startsWith(`${scope} user:`))
      const done = `${scope}: ${isPaused ? 'no longer paused' : 'was not paused'}`
      await send(session, options, { scope, active: false }, done)
    })
  program
    .command('pauses')
    .description('list what is paused, since when and why')
    .action(async () => {
      const reply = await session.send('GET', '/v1/pauses')
      const out = session.out()
      session.exit(
        printReply(out, reply, (body) => {
          if (itemsOf(body).length === 0) out.line('nothing is paused')
          for (const pause of itemsOf(body)) out.line(`${pauseLine(pause)}; ${unpauseHint(pause)}`, 'held')
        }),
      )
    })
}

/** `sluice pause` alone would stop every agent, so it asks first. */
async function isEverythingMeant(session: Session): Promise<boolean> {
  if (!hasTerminal()) {
    session.fail(`specify what to pause: ${SCOPES}; sluice pause all stops every call`)
    return false
  }
  if (await confirmed('this stops every call of every agent. Continue?')) return true
  session.out().error('nothing was paused')
  session.exit(EXIT.problem)
  return false
}

async function send(session: Session, { passphraseFile }: WithPassphrase, order: object, done: string): Promise<void> {
  const reply = await sendProven(session, '/v1/pauses', passphraseFile, order)
  session.exit(printReply(session.out(), reply, () => session.out().line(done)))
}
