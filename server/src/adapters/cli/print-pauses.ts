import type { CliClient } from './client.ts'
import { itemsOf, textOf, timeOf, type PrintedFields, type Out } from './print.ts'

/** The command that ends a pause. */
export const unpauseHint = ({ scope }: PrintedFields): string =>
  `end it with \`sluice unpause${scope === 'all' ? '' : ` ${textOf(scope)}`}\``

/** A pause in one line: what it stops, since when, and why. */
export function pauseLine({ scope, effect, at, by, reason }: PrintedFields): string {
  const what = scope === 'all' ? 'every call' : `every call of ${textOf(scope)}`
  const done = effect === 'ask' ? 'held for approval' : 'blocked'
  const why = textOf(reason) === '' ? '' : `: ${textOf(reason)}`
  return `paused: ${what} is ${done} since ${timeOf(at)}, by ${textOf(by)}${why}`
}

type Asking = { readonly ask: CliClient; readonly out: () => Out }

/** Printed after every command, so that people know why calls do not run. On stderr, so that the output for scripts does not change. */
export async function printPauses({ ask, out: outOf }: Asking): Promise<void> {
  const out = outOf()
  if (out.json) return
  const reply = await ask('GET', '/v1/pauses')
  for (const pause of itemsOf(reply.body)) out.error(`! ${pauseLine(pause)}; ${unpauseHint(pause)}`, 'held')
}
