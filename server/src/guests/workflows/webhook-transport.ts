import { setTimeout as sleep } from 'node:timers/promises'
import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { MessageTransport, Sent } from '../../kernel/ports/transports.ts'
import type { WebhookTransportSettings } from './section.ts'
import { isUnreached } from '../../adapters/upstream/unreached.ts'

export type WebhookTransportPorts = { readonly clock: Clock; readonly key: WebhookKey; readonly stopping: AbortSignal }

const ANSWER_MS = 10_000
const TRIED_FOR_MS = 30_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** Messages as signed requests to another program, as in Standard Webhooks. Tried for half a minute, under one id. */
export function webhookTransport(
  { name, url, rooms }: WebhookTransportSettings,
  { clock, key, stopping }: WebhookTransportPorts,
): MessageTransport {
  return {
    name,
    reaches: (room) => rooms.includes('*') || rooms.includes(room),
    async send({ id, agent, room, text }): Promise<Sent> {
      const body = JSON.stringify({ type: 'message', agent, room, text })
      const began = clock()
      let mayBeThere = false
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        if (stopping.aborted) return { is: mayBeThere ? 'lost' : 'not_sent', why: 'the gate is stopping' }
        const attempt = await post(id, body)
        if (attempt.is === 'taken') return { is: 'sent' }
        mayBeThere ||= attempt.is === 'unclear'
        if (attempt.is === 'refused' || clock() + pause > began + TRIED_FOR_MS)
          return { is: mayBeThere ? 'lost' : 'not_sent', why: attempt.why }
        await sleep(pause, undefined, { signal: stopping }).catch(() => {})
      }
    },
  }

  async function post(id: string, body: string): Promise<Attempt> {
    const seconds = Math.floor(clock() / 1000)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': key.sign(id, seconds, body),
    }
    try {
      const signal = AbortSignal.timeout(ANSWER_MS)
      const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
      await answer.body?.cancel()
      if (answer.ok) return { is: 'taken' }
      const { status } = answer
      const why = `the transport answered with status ${status}`
      if (status === 429 || status === 408) return { is: 'busy', why }
      // With 4xx the other side says that it did not accept the message; any other status says nothing.
      return { is: status >= 400 && status < 500 ? 'refused' : 'unclear', why }
    } catch (error) {
      return isUnreached(error)
        ? { is: 'busy', why: 'the transport could not be reached' }
        : { is: 'unclear', why: 'the transport did not answer in time' }
    }
  }
}

/** `busy`: not accepted, and worth a retry. `unclear`: unknown whether it was accepted. */
type Attempt = { readonly is: 'taken' } | { readonly is: 'busy' | 'refused' | 'unclear'; readonly why: string }
