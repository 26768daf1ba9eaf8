import type { WebhookKey } from '../../commands/ports/keys.ts'
import type { Clock } from '../../commands/ports/runtime.ts'
import type { MessageTransport, Sent } from '../../commands/ports/transports.ts'
import type { WebhookTransportSettings } from '../../contract/transports.ts'
import { isUnreached } from './unreached.ts'

export type WebhookTransportDeps = { readonly clock: Clock; readonly key: WebhookKey; readonly stopping: AbortSignal }

const ANSWER_MS = 10_000

/** Messages as signed requests to somebody else's program, in the manner of Standard Webhooks. */
export function webhookTransport(
  { name, url, rooms }: WebhookTransportSettings,
  { clock, key, stopping }: WebhookTransportDeps,
): MessageTransport {
  return {
    name,
    reaches: (room) => rooms.includes('*') || rooms.includes(room),
    async send({ id, agent, room, text }): Promise<Sent> {
      if (stopping.aborted) return { is: 'not_sent', why: 'the gate stops' }
      const body = JSON.stringify({ type: 'message', agent, room, text })
      const seconds = Math.floor(clock() / 1000)
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': key.sign(id, seconds, body),
      }
      try {
        const answer = await fetch(url, {
          method: 'POST',
          body,
          headers,
          redirect: 'manual',
          signal: AbortSignal.timeout(ANSWER_MS),
        })
        await answer.body?.cancel()
        if (answer.ok) return { is: 'sent' }
        // The other side says by 4xx that it did not take it; anything else says nothing.
        const why = `the transport answered with status ${answer.status}`
        return answer.status >= 400 && answer.status < 500 ? { is: 'not_sent', why } : { is: 'lost', why }
      } catch (error) {
        return isUnreached(error)
          ? { is: 'not_sent', why: 'the transport could not be reached' }
          : { is: 'lost', why: 'the transport did not answer in time' }
      }
    },
  }
}
