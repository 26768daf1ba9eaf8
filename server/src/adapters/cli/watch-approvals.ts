import { UNREACHED } from './client.ts'
import { EXIT } from './exit-codes.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { itemsOf, printReply, textOf } from './print.ts'
import { printPacket } from './print-packet.ts'
import type { Session } from './session.ts'

/** Keeps the inbox open: in a terminal, requests are decided by key press; elsewhere each new request is printed once. */
export async function watchApprovals(session: Session): Promise<number> {
  const first = await session.send('GET', PENDING)
  if (first.status <= UNREACHED || first.status >= 400) return printReply(session.out(), first, () => {})
  if (!process.stdout.isTTY || !process.stdin.isTTY || session.out().json) return printAsTheyCome(session)
  // Only this command loads the library that draws the screen.
  const { runInbox } = await import('../../guests/inbox/run-inbox.ts')
  await runInbox(session, { stdin: process.stdin, stdout: process.stdout })
  return EXIT.ok
}

export const PENDING = '/v1/approvals?state=pending&limit=200'
export const CHANGES = '/v1/stream?kinds=approval'

/** Until it is interrupted. */
async function printAsTheyCome(session: Session): Promise<number> {
  const seen = new Set<string>()
  const out = session.out()
  const look = oneAtATime(async () => {
    const items = itemsOf((await session.ask('GET', PENDING)).body)
    for (const item of items.filter((each) => !seen.has(textOf(each['approval_id'])))) {
      seen.add(textOf(item['approval_id']))
      if (out.json) out.line(JSON.stringify(item))
      else printPacket(out, item)
    }
  })
  await new Promise<void>((stopped) => {
    const stop = session.follow(CHANGES, () => void look())
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        stop()
        stopped()
      })
    void look()
  })
  return EXIT.ok
}
