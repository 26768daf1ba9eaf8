import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { confirmed, hasTerminal } from './confirm.ts'
import { EXIT } from './exit-codes.ts'
import { jsonFault, pointedAt } from './json-argument.ts'
import { fieldsOf, printReply, textOf } from './print.ts'
import type { Cli } from './cli.ts'

/** The arguments of a request after the person edited them; undefined if nothing should be sent. */
export async function editedArguments(cli: Cli, id: string): Promise<string | undefined> {
  const reply = await cli.send('GET', `/v1/approvals/${encodeURIComponent(id)}`)
  if (reply.status < 200 || reply.status >= 400) {
    cli.exit(printReply(cli.out(), reply, () => {}))
    return undefined
  }
  if (!hasTerminal()) {
    cli.fail(`there is no terminal to open an editor in; pass the arguments: sluice edit ${id} '{…}' or @file`)
    return undefined
  }
  const before = prettyJson(textOf(fieldsOf(reply.body)['proposed_args']))
  const after = await editText(cli, before)
  if (after !== undefined && after.trim() !== before.trim()) return after
  cli.out().error('nothing was changed')
  cli.exit(EXIT.problem)
  return undefined
}

/** One line per argument is easier to read. */
export function prettyJson(text: string): string {
  return jsonFault(text) === undefined ? `${JSON.stringify(JSON.parse(text), null, 2)}\n` : text
}

/** Reopens the editor until the text is JSON or the person gives up. */
async function editText(cli: Pick<Cli, 'out'>, text: string): Promise<string | undefined> {
  const after = openEditor(text)
  if (after === undefined) {
    cli.out().error(`the editor \`${editorOf()}\` could not be started; set EDITOR to one that is installed`)
    return undefined
  }
  const fault = jsonFault(after)
  if (fault === undefined) return after
  cli.out().error(`this is not JSON: ${fault.says}`)
  for (const line of pointedAt(after, fault.at)) cli.out().error(line)
  return (await confirmed('edit it again?')) ? editText(cli, after) : undefined
}

export const editorOf = (): string => process.env['VISUAL'] || process.env['EDITOR'] || 'vi'

/** The text after the editor was closed; undefined if it could not be started. The file is readable only by its owner. */
export function openEditor(text: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-edit-'))
  const file = join(folder, 'arguments.json')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    // Started through the shell, because EDITOR may contain options: `code --wait`.
    const { status } = spawnSync('/bin/sh', ['-c', `${editorOf()} "$1"`, 'sluice', file], { stdio: 'inherit' })
    return status === 0 ? readFileSync(file, 'utf8') : undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
