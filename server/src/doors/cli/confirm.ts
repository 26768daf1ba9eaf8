import { createInterface } from 'node:readline/promises'

export const hasTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** Asks a person at the terminal; anything but yes is no. */
export async function confirmed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const said = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(said.trim())
}
