import { type Command, InvalidArgumentError } from 'commander'
import type { GateResponse } from './client.ts'
import { fieldsOf, printReply, textOf } from './print.ts'
import type { Cli } from './cli.ts'
import { readFileSync } from 'node:fs'
import type { ReadStream } from 'node:tty'

const ENTER = new Set(['\r', '\n'])
const ERASE = new Set(['\u007f', '\b'])
const STOP = new Set(['\u0003', '\u0004'])

/** The first line of a file, `-` for stdin. A secret on the command line itself would be in the shell's history. */
function secretIn(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').split(/\r?\n/, 1)[0] ?? ''
  } catch {
    throw new InvalidArgumentError(`\`${file}\` cannot be read`)
  }
}

/** Asks for a line at the terminal without showing it; undefined where there is no terminal, or when the person gives up. */
function askSecret(prompt: string, input: ReadStream = process.stdin): Promise<string | undefined> {
  if (!input.isTTY) return Promise.resolve(undefined)
  process.stderr.write(prompt)
  input.setRawMode(true)
  input.resume().setEncoding('utf8')
  return new Promise((resolve) => {
    let typed = ''
    const finish = (secret: string | undefined) => {
      input.off('data', onData)
      input.setRawMode(false)
      input.pause()
      process.stderr.write('\n')
      resolve(secret)
    }
    const onData = (chunk: string) => {
      for (const key of chunk) {
        if (ENTER.has(key)) return finish(typed)
        if (STOP.has(key)) return finish(undefined)
        typed = ERASE.has(key) ? typed.replace(/.$/su, '') : typed + key
      }
    }
    input.on('data', onData)
  })
}

const NO_TERMINAL = 'there is no terminal to ask for the passphrase: pass it with --passphrase-file'

/** The passphrase of an approver. */
export function addPassphraseCommands(program: Command, cli: Cli): void {
  const passphrase = program.command('passphrase').description('your passphrase for strong approvals')
  passphrase
    .command('set')
    .description('set or change your passphrase; your strong approvals require it from then on')
    .option('--passphrase-file <file>', 'file with the new passphrase; `-` for stdin', secretIn)
    .option('--current-file <file>', 'file with the current passphrase', secretIn)
    .action(async (options: { passphraseFile?: string; currentFile?: string }) => {
      const wanted = await newPassphrase(cli, options.passphraseFile)
      if (wanted === undefined) return
      const reply = await sendProven(cli, '/v1/passphrase', options.currentFile, (current) => ({
        passphrase: wanted,
        ...(current === undefined ? {} : { current }),
      }))
      cli.exit(printReply(cli.out(), reply, ({ user }) => cli.out().line(`the passphrase of ${textOf(user)} is set`)))
    })
  passphrase
    .command('clear <user>')
    .description('as an admin: remove the passphrase of someone who has lost it')
    .option(...PASSPHRASE_FILE)
    .action(async (user: string, options: WithPassphrase) => {
      const path = `/v1/passphrases/${encodeURIComponent(user)}`
      const reply = await sendProven(cli, path, options.passphraseFile, {}, 'DELETE')
      cli.exit(printReply(cli.out(), reply, () => cli.out().line(`${user} has no passphrase now`)))
    })
}

async function newPassphrase(cli: Cli, given: string | undefined): Promise<string | undefined> {
  if (given !== undefined) return given
  const typed = await askSecret('new passphrase: ')
  const again = typed === undefined ? undefined : await askSecret('again: ')
  if (typed === undefined || typed !== again) {
    cli.fail(process.stdin.isTTY ? 'the two passphrases differ; nothing was changed' : NO_TERMINAL)
    return undefined
  }
  return typed
}

/** Option of the commands that give permission in somebody's name. */
export const PASSPHRASE_FILE = [
  '--passphrase-file <file>',
  'file with your passphrase, if you have one; `-` for stdin. You are asked for it if it is left out',
  secretIn,
] as const
export type WithPassphrase = { readonly passphraseFile?: string }

/** A body, or a function that writes it with the passphrase. */
type Body = object | ((passphrase: string | undefined) => unknown)

/** Sends a request. If the gate requires the person's passphrase, asks for it and sends the request again. */
export async function sendProven(
  cli: Cli,
  path: string,
  given: string | undefined,
  body: Body,
  method: 'POST' | 'DELETE' = 'POST',
): Promise<GateResponse> {
  return proven(given, body, (whole) => cli.send(method, path, whole))
}

/** The same, for a request that is sent in another way. */
export async function proven(
  given: string | undefined,
  body: Body,
  send: (body: unknown) => Promise<GateResponse>,
): Promise<GateResponse> {
  const bodyWith = (passphrase: string | undefined) =>
    typeof body === 'function' ? body(passphrase) : passphrase === undefined ? body : { ...body, passphrase }
  const reply = await send(bodyWith(given))
  if (given !== undefined || fieldsOf(reply.body)['code'] !== 'approval.passphrase_needed') return reply
  const typed = await askSecret('your passphrase: ')
  return typed === undefined ? reply : send(bodyWith(typed))
}
