import { createInterface } from 'node:readline/promises'
import { confirmOf, confirmWords } from '../../kernel/contract/confirm.ts'
import { quotedValue, Sentence } from '../../kernel/contract/sentence.ts'
import { countedSpaces, visibleText } from '../../kernel/contract/visible-text.ts'
import { textOf, type PrintedFields } from './print.ts'

export const hasTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** Asks a person at the terminal for a line. */
export async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const said = await lines.question(question)
  lines.close()
  return said.trim()
}

/** Asks a person at the terminal; anything but yes is no. */
export const confirmed = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await askLine(`${question} [y/N] `))

/** The reason of a denial, which the agent reads. Without a terminal there is nobody to ask. */
export async function askReason(given: string | undefined): Promise<{ readonly reason?: string }> {
  const reason = given ?? (hasTerminal() ? await askLine('reason, shown to the agent (optional): ') : '')
  return reason === '' ? {} : { reason }
}

export const isStrong = ({ strength }: PrintedFields): boolean => strength !== 'simple'

/** `type the recipient: joe@example.com` */
export function typingWords(packet: PrintedFields): string {
  const sentence = Sentence.safeParse(packet['sentence']).data
  const confirm = confirmOf({ skill_id: textOf(packet['skill_id']), sentence })
  const words = confirm.words.map((word) => quotedValue(countedSpaces(visibleText(word))))
  return `type ${confirmWords(confirm).kind}: ${words.join(', ')}`
}

/**
 * What the person types to approve a request that is shown; for a simple one, whether they say yes. Undefined if they do not approve.
 * `given`: typed before, as an option of the command.
 */
export async function askApproval(
  packet: PrintedFields,
  given?: string,
): Promise<{ readonly typed?: string } | undefined> {
  if (given !== undefined) return { typed: given }
  // Without a terminal there is nobody to ask, and the gate says what is missing.
  if (!hasTerminal()) return {}
  if (!isStrong(packet)) return (await confirmed('approve this?')) ? {} : undefined
  const typed = await askLine(`to approve, ${typingWords(packet)}\n> `)
  return typed === '' ? undefined : { typed }
}
