import type { Guest } from '../../kernel/registries.ts'
import { UNREACHED } from './client.ts'
import { EXIT } from './exit-codes.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { itemsOf, printReply, textOf } from './print.ts'
import { printPacket } from './print-packet.ts'
import type { Cli } from './cli.ts'

/** Shows the requests on the screen until the person quits. */
type RunInbox = (
  cli: Pick<Cli, 'ask' | 'follow'>,
  screen: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream },
) => Promise<void>

declare module '../../kernel/registries.ts' {
  interface Guest {
    readonly inbox?: () => Promise<RunInbox>
  }
}

/** Keeps the inbox open: in a terminal, requests are decided by key press; elsewhere each new request is printed once. */
export async function watchApprovals(cli: Cli, inbox: Guest['inbox']): Promise<number> {
  const first = await cli.send('GET', PENDING)
  if (first.status <= UNREACHED || first.status >= 400) return printReply(cli.out(), first, () => {})
  const isScreen = process.stdout.isTTY && process.stdin.isTTY && !cli.out().json
  if (inbox === undefined || !isScreen) return printAsTheyCome(cli)
  // Only this command loads the library that draws the screen.
  const runInbox = await inbox()
  await runInbox(cli, { stdin: process.stdin, stdout: process.stdout })
  return EXIT.ok
}

export const PENDING = '/v1/approvals?state=pending&limit=200'
export const CHANGES = '/v1/stream?kinds=approval'

/** Until it is interrupted. */
async function printAsTheyCome(cli: Cli): Promise<number> {
  const seen = new Set<string>()
  const out = cli.out()
  const look = oneAtATime(async () => {
    const items = itemsOf((await cli.ask('GET', PENDING)).body)
    for (const item of items.filter((each) => !seen.has(textOf(each['approval_id'])))) {
      seen.add(textOf(item['approval_id']))
      if (out.json) out.line(JSON.stringify(item))
      else printPacket(out, item)
    }
  })
  await new Promise<void>((stopped) => {
    const stop = cli.follow(CHANGES, () => void look())
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        stop()
        stopped()
      })
    void look()
  })
  return EXIT.ok
}
