import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../breaker.ts'
import type { MessageInbox } from '../inbox.ts'
import type { UpstreamTuning } from '../tuning.ts'
import type { HttpChannel } from './channel.ts'
import { mediaType, type OutgoingExchange, type HttpReply } from './exchange.ts'
import type { Lifetime } from './lifetime.ts'
import { readEvents } from './read-events.ts'
import type { McpSession } from './mcp-session.ts'

export type ListeningStreamPorts = {
  readonly channel: HttpChannel
  readonly session: McpSession
  readonly inbox: MessageInbox
  readonly limit: number
  readonly tuning: UpstreamTuning
  readonly life: Lifetime
  readonly onDoubt: () => void
}

/** The stream on which a server of the 2025 era sends unsolicited messages. Opened again whenever it breaks. */
export function listeningStream({ channel, session, inbox, limit, tuning, life, onDoubt }: ListeningStreamPorts) {
  let asking: OutgoingExchange | undefined

  async function open(): Promise<void> {
    let last_id: string | undefined
    for (let failures = 0, was_open = false; life.isUsable();) {
      const resumed = last_id === undefined ? {} : { 'last-event-id': last_id }
      asking = channel.ask({
        method: 'GET',
        headers: { accept: 'text/event-stream', ...session.headers(), ...resumed },
      })
      const reply = await asking.reply
      if (!life.isUsable()) return asking.abort()
      if (reply.is === 'fault' && reply.unreachable) return life.end(`could not be reached: ${reply.says}`)
      const stream = reply.is === 'reply' && isStream(reply) ? reply : undefined
      if (reply.is === 'reply' && stream === undefined) reply.body.drop()
      if (reply.is === 'reply' && reply.status === 404 && session.id() !== undefined)
        return life.end('its session has ended')
      // Not every server has such a stream.
      if (stream === undefined && !was_open) return
      let pause_ms = 0
      if (stream !== undefined) {
        if (was_open && last_id === undefined) onDoubt()
        was_open = true
        const since = performance.now()
        const end = await readEvents(stream, { limit, inbox })
        if (performance.now() - since >= tuning.steady_ms) failures = 0
        last_id = end.last_id ?? last_id
        pause_ms = end.retry_ms ?? 0
      }
      failures += 1
      await sleep(Math.max(pause_ms, backOff(tuning.restart, failures)), undefined, { ref: false })
    }
  }

  return { open, stop: () => asking?.abort() }
}

const isStream = (reply: HttpReply) => reply.status === 200 && mediaType(reply) === 'text/event-stream'
