import type { Command } from 'commander'
import { problem } from '../../kernel/contract/problems.ts'
import type { ClockReport } from './boot-reports.ts'
import { confirmed, hasTerminal } from './confirm.ts'
import { EXIT } from './exit-codes.ts'
import { nameOf } from './packet-lines.ts'
import { asBody, count, printProblem } from './print.ts'
import type { Session } from './session.ts'

/** Puts right that the gate has seen a wrong time. */
export function addClockCommands(program: Command, session: Session): void {
  program
    .command('clock')
    .description('the time of the gate, which never goes back by itself')
    .command('correct')
    .description("make this machine's clock the gate's time again, if a wrong one was ahead; the gate must be stopped")
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ yes = false }: { yes?: boolean }) => {
      const out = session.out()
      let asked = true
      const done = await session.correctClock(async (report) => {
        if (yes) return true
        asked = !out.json && hasTerminal()
        if (!asked) return false
        for (const line of whatChanges(report)) out.line(line)
        return confirmed('correct the time of the gate?')
      })
      if (!done.ok) return session.exit(printProblem(out, asBody(done.problem)))
      if (!asked) return session.exit(printProblem(out, asBody(problem('clock.needs_yes'))))
      if (out.json) return out.line(JSON.stringify(done.value))
      const { from, to, corrected } = done.value
      if (corrected) return out.line(`the time of the gate is ${timeText(to)} again; this is in the audit`)
      if (from > to) return session.exit(EXIT.usage)
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
