import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { problem } from '../../kernel/contract/problems.ts'
import { EXIT } from './exit-codes.ts'
import { asBody, fieldsOf, printProblem, printReply, textOf, type Fields, type Out } from './print.ts'
import type { Session } from './session.ts'

type Words = { user: string; withdraw?: boolean; yes?: boolean }

/** Deletes one person's arguments, outputs and artifacts now. */
export function addEraseCommand(program: Command, session: Session): void {
  program
    .command('erase')
    .description("delete one user's arguments, outputs and artifacts now")
    .requiredOption('--user <name>', 'the user whose calls are deleted')
    .option('--withdraw', 'also withdraw and delete calls that are waiting for approval')
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ user, withdraw = false, yes = false }: Words) => {
      const out = session.out()
      if (!yes && !(await agreed(out, user))) return session.exit(EXIT.usage)
      const reply = await session.send('POST', '/v1/erasures', { user, withdraw })
      const code = printReply(out, reply, (body) => printErased(out, body))
      const open = fieldsOf(reply.body)['open']
      session.exit(code === EXIT.ok && Array.isArray(open) && open.length > 0 ? EXIT.problem : code)
    })
}

async function agreed(out: Out, user: string): Promise<boolean> {
  if (out.json || !process.stdin.isTTY) {
    printProblem(out, asBody(problem('erase.needs_yes', { user })))
    return false
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const said = await lines.question(`delete all data of ${JSON.stringify(user)}? This cannot be undone. [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(said.trim())
}

function printErased(out: Out, body: Fields): void {
  const { user, calls, runs, artifacts } = body
  out.line(`${textOf(user)}: ${textOf(calls)} calls, ${textOf(runs)} runs and ${textOf(artifacts)} artifacts deleted`)
  const open = Array.isArray(body['open']) ? body['open'].map(textOf) : []
  if (open.length === 0) return
  out.error(`not deleted, because they are still open: ${open.join(', ')}`)
  out.error('withdraw them (`--withdraw`), settle them or wait for them, then run this again')
}
