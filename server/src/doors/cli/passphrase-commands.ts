import type { Command } from 'commander'
import type { Reply } from './client.ts'
import { fieldsOf, printReply, textOf } from './print.ts'
import { askSecret, secretIn } from './read-secret.ts'
import type { Session } from './session.ts'

const NO_TERMINAL = 'there is no terminal to ask for the passphrase: pass it in a file'

/** The passphrase of an approver. */
export function addPassphraseCommands(program: Command, session: Session): void {
  const passphrase = program.command('passphrase').description('your passphrase for strong approvals')
  passphrase
    .command('set')
    .description('set or change your passphrase; your strong approvals require it from then on')
    .option('--passphrase-file <file>', 'file with the new passphrase; `-` for stdin', secretIn)
    .option('--current-file <file>', 'file with the current passphrase', secretIn)
    .action(async (options: { passphraseFile?: string; currentFile?: string }) => {
      const wanted = await newPassphrase(session, options.passphraseFile)
      if (wanted === undefined) return
      const reply = await sendProven(session, '/v1/passphrase', options.currentFile, (current) => ({
        passphrase: wanted,
        ...(current === undefined ? {} : { current }),
      }))
      session.exit(
        printReply(session.out(), reply, ({ user }) => session.out().line(`the passphrase of ${textOf(user)} is set`)),
      )
    })
  passphrase
    .command('clear <user>')
    .description('as an admin: remove the passphrase of someone who has lost it')
    .action(async (user: string) => {
      const reply = await session.send('DELETE', `/v1/passphrases/${encodeURIComponent(user)}`)
      session.exit(printReply(session.out(), reply, () => session.out().line(`${user} has no passphrase now`)))
    })
}

async function newPassphrase(session: Session, given: string | undefined): Promise<string | undefined> {
  if (given !== undefined) return given
  const typed = await askSecret('new passphrase: ')
  const again = typed === undefined ? undefined : await askSecret('again: ')
  if (typed === undefined || typed !== again) {
    session.fail(process.stdin.isTTY ? 'the two passphrases differ; nothing was changed' : NO_TERMINAL)
    return undefined
  }
  return typed
}

/** Sends a request. If the gate requires the person's passphrase, asks for it and sends the request again. */
export async function sendProven(
  session: Session,
  path: string,
  given: string | undefined,
  bodyWith: (passphrase: string | undefined) => unknown,
): Promise<Reply> {
  const reply = await session.send('POST', path, bodyWith(given))
  if (given !== undefined || fieldsOf(reply.body)['code'] !== 'approval.passphrase_needed') return reply
  const typed = await askSecret('your passphrase: ')
  return typed === undefined ? reply : session.send('POST', path, bodyWith(typed))
}
