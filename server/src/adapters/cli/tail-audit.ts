import { auditText } from '../../kernel/contract/audit-events.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { EXIT } from './exit-codes.ts'
import { fieldsOf, itemsOf, printReply, textOf, timeOf, type Fields } from './print.ts'
import type { Cli } from './cli.ts'

const PAGE = 200

/** Prints the newest entries, oldest first. With `follow`, keeps printing new ones until it is interrupted. */
export async function tailAudit(
  cli: Cli,
  { lines, follow }: { readonly lines: number; readonly follow?: boolean },
): Promise<void> {
  const out = cli.out()
  let last = 0
  const print = (items: readonly Fields[]) => {
    for (const entry of items) {
      last = Math.max(last, Number(entry['seq']))
      if (out.json) out.line(JSON.stringify(entry))
      else out.line(entryLine(entry))
    }
  }
  const first = await cli.send('GET', `/v1/audit?last=${Math.min(lines, PAGE)}`)
  if (first.status < 200 || first.status >= 400) return cli.exit(printReply(out, first, () => {}))
  print(itemsOf(first.body))
  if (follow !== true) return cli.exit(EXIT.ok)
  const look = oneAtATime(async () =>
    print(itemsOf((await cli.ask('GET', `/v1/audit?after=${last}&limit=${PAGE}`)).body)),
  )
  await new Promise<void>((stopped) => {
    const stop = cli.follow('/v1/stream', () => void look())
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        stop()
        stopped()
      })
  })
}

/** `12  2026-11-15 20:41:55Z  A call of mail__send by claude is held for approval  call.held tool=mail__send call=call_…`. */
function entryLine(entry: Fields): string {
  const about = Object.entries(fieldsOf(entry['subject'])).map(([name, value]) => `${name}=${textOf(value)}`)
  const { seq, at, type } = entry
  return [textOf(seq), timeOf(at), textOf(auditText(entry)), [textOf(type), ...about].join(' ')].join('  ')
}
