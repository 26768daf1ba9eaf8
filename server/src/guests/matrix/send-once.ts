import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { OutgoingMessage, Sent } from '../../kernel/ports/transports.ts'
import { isUnreached } from '../../adapters/upstream/unreached.ts'
import type { MatrixSession } from './matrix-session.ts'
import { eventsSince } from './recent-events.ts'

export type SendDeps = {
  readonly session: () => Promise<MatrixSession>
  readonly clock: Clock
  readonly stopping: AbortSignal
}

/** In the content of a document's messages: the id of the call that sent it. */
const MESSAGE_ID = 'io.sluice.message'
const TRIED_FOR_MS = 30_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** How far the clocks of the gate and the homeserver may be apart. */
const SKEW_MS = 600_000

/**
 * Tries for half a minute.
 * INVARIANT: once an attempt may have reached the homeserver, the message is sent again only if the room does not have it.
 */
export async function sendOnce(
  { session, clock, stopping }: SendDeps,
  { id, room, text, since }: OutgoingMessage,
): Promise<Sent> {
  const content = { msgtype: 'm.text', body: text, 'm.mentions': {}, [MESSAGE_ID]: id }
  const began = clock()
  let mayBeThere = since !== undefined
  let isSending = false
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    if (stopping.aborted) return { is: mayBeThere ? 'lost' : 'not_sent', why: 'the gate is stopping' }
    try {
      isSending = false
      const open = await session()
      const found = mayBeThere ? await isThere(open, room, id, (since ?? began) - SKEW_MS) : 'no'
      if (found === 'yes') return { is: 'sent' }
      if (found === 'unclear') return { is: 'lost', why: 'an earlier attempt may have sent it' }
      isSending = true
      await open.send(room, 'm.room.message', content, id)
      return { is: 'sent' }
    } catch (error) {
      if (isSending && !isUnreached(error) && statusOf(error) === undefined) mayBeThere = true
      const why = whyNot(error)
      if (isRefused(error)) return { is: mayBeThere ? 'lost' : 'not_sent', why }
      if (clock() + pause > began + TRIED_FOR_MS) return { is: mayBeThere ? 'lost' : 'not_sent', why }
      await sleep(pause, undefined, { signal: stopping }).catch(() => {})
    }
  }
}

/** `unclear`: messages of an earlier process in an encrypted room cannot be read. */
async function isThere(session: MatrixSession, room: string, id: string, since: number) {
  let isUnclear = false
  for await (const event of eventsSince(session, room, since, () => (isUnclear = true))) {
    if (event.sender !== session.user) continue
    if (event.content[MESSAGE_ID] === id) return 'yes'
    if (event.type === 'm.room.encrypted') isUnclear = true
  }
  return isUnclear ? 'unclear' : 'no'
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'httpStatus' in error && typeof error.httpStatus === 'number' ? error.httpStatus : undefined

/** A definite rejection: retrying would not help. */
function isRefused(error: unknown): boolean {
  const status = statusOf(error)
  return status !== undefined && status >= 400 && status < 500 && status !== 429 && status !== 408 && status !== 401
}

function whyNot(error: unknown): string {
  const status = statusOf(error)
  if (status !== undefined) return `the homeserver answered with status ${status}`
  return isUnreached(error) ? 'the homeserver could not be reached' : 'the homeserver did not answer'
}
