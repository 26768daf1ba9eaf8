import { setTimeout as sleep } from 'node:timers/promises'
import type { Tuning } from '../tuning.ts'
import type { Channel } from './channel.ts'
import { mediaType, type Exchange, type Reply } from './exchange.ts'
import type { StreamEnd } from './read-events.ts'
import type { Session } from './session.ts'

export type ResumeDeps = {
  readonly channel: Channel
  readonly session: Session
  readonly tuning: Tuning
  readonly onAsk: (asking: Exchange) => void
  readonly isWanted: () => boolean
}

/**
 * A server may end the stream of an answer it is still working on, after it said where to resume (2025-11-25). Asking for the
 * rest runs nothing again. Returns when the rest was read, or is not available.
 */
export async function resumeStream(
  { channel, session, tuning, onAsk, isWanted }: ResumeDeps,
  read: (reply: Reply, asking: Exchange) => Promise<StreamEnd>,
  from: { readonly last_id: string; readonly retry_ms: number | undefined },
): Promise<void> {
  let { last_id, retry_ms } = from
  while (isWanted()) {
    await sleep(Math.min(retry_ms ?? tuning.restart.base_ms, tuning.restart.cap_ms), undefined, { ref: false })
    if (!isWanted()) return
    const headers = { accept: 'text/event-stream', ...session.headers(), 'last-event-id': last_id }
    const asking = channel.ask({ method: 'GET', headers })
    onAsk(asking)
    const reply = await asking.reply
    if (reply.is === 'fault') return
    if (reply.status !== 200 || mediaType(reply) !== 'text/event-stream') return reply.body.drop()
    const end = await read(reply, asking)
    last_id = end.last_id === undefined || end.last_id === '' ? last_id : end.last_id
    retry_ms = end.retry_ms ?? retry_ms
  }
}
