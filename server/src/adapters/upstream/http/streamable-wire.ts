import type { Transport } from '@modelcontextprotocol/client'
import type { MaybePromise } from '../../../kernel/ports/runtime.ts'
import { cancelMessage, requestMessage, type MetaEnvelope, type MessageId } from '../messages.ts'
import { hasKeys } from '../has-keys.ts'
import { openInbox } from '../inbox.ts'
import type { OurRequest } from '../our-request.ts'
import { loginNeeded, lost, notSent, pendingCalls, type AbandonReason, type Sending } from '../pending-calls.ts'
import type { HttpServer } from '../server-kind.ts'
import type { UpstreamTuning } from '../tuning.ts'
import type { Wire, WireSetup } from '../wire.ts'
import { readBody, takeBody, type WholeBody } from './body.ts'
import { openChannel, type HttpChannel } from './channel.ts'
import { requestHeaders } from './era-headers.ts'
import { mediaType, type OutgoingExchange, type NoReply, type HttpReply } from './exchange.ts'
import { createLifetime } from './lifetime.ts'
import { mirrorsOf } from '../../../kernel/contract/mirrors.ts'
import { readEvents, type StreamEnd } from './read-events.ts'
import { refusalOf } from './refusal.ts'
import { sdkTransport } from './sdk-transport.ts'
import { openMcpSession, type McpSession } from './mcp-session.ts'
import { listeningStream } from './listening-stream.ts'
import type { Tokens } from './tokens.ts'
import { setTimeout as sleep } from 'node:timers/promises'

export type HttpWireSetup = WireSetup & {
  readonly config: HttpServer
  readonly tuning: UpstreamTuning
  readonly tokens: Tokens | undefined
}

/** Streamable HTTP: each message is one POST, answered by one JSON body or by a stream of events. */
export function openStreamable(deps: HttpWireSetup): Wire {
  const { config, tuning, tokens, noise, onDoubt, onNotification } = deps
  const { name: server, output_limit: limit } = config
  const channel = openChannel(config, tokens)
  const pending = pendingCalls(config)
  const session = openMcpSession(noise)
  const inbox = openInbox({ server, output_limit: limit, pending, transport: () => transport, noise, onNotification })
  const life = createLifetime(() => {
    standing.stop()
    transport.onclose?.()
  })
  const standing = listeningStream({ channel, session, inbox, limit, tuning, life, onDoubt })
  const transport: Transport = sdkTransport({
    channel,
    session,
    inbox,
    limit,
    tuning,
    life,
    onInitialized: () => void standing.open(),
    close: () => close(),
  })

  /** One request of ours. A class, because one is made for every call. */
  class Posted implements Sending {
    readonly #request: OurRequest<unknown>
    readonly #envelope: MetaEnvelope
    readonly #isLegacy: boolean
    #asking: OutgoingExchange | undefined
    #isAnsweredByStream = false

    constructor(request: OurRequest<unknown>, envelope: MetaEnvelope) {
      this.#request = request
      this.#envelope = envelope
      this.#isLegacy = !hasKeys(envelope)
    }

    send(id: MessageId): boolean {
      if (!life.isUsable()) return false
      const [request, envelope] = [this.#request, this.#envelope]
      const headers = {
        ...POSTED,
        ...session.headers(),
        ...request.headers?.(),
        ...(this.#isLegacy ? undefined : requestHeaders(request, envelope)),
      }
      const asking = channel.ask({ method: 'POST', headers, body: requestMessage(id, request, envelope) })
      this.#asking = asking
      void asking.reply.then((reply) => this.#conclude(id, asking, reply))
      return true
    }

    cancel(id: MessageId, why: AbandonReason) {
      const unsent = !this.#isAnsweredByStream && this.#asking?.mayHaveLeft() !== true
      this.#asking?.abort()
      // Since 2026-07-28 ending the request is the cancellation.
      if (!unsent && this.#isLegacy) void sendAlone(cancelMessage(id, why, this.#envelope))
      return { unsent }
    }

    #conclude(id: MessageId, asking: OutgoingExchange, reply: HttpReply | NoReply): MaybePromise<void> {
      if (reply.is === 'fault') return failed(id, reply)
      if (reply.status !== 200) return refused(id, reply)
      const type = mediaType(reply)
      if (type === 'application/json') return takeBody(reply.body, limit, (body) => json(id, body))
      if (type === 'text/event-stream') return this.#followEvents(id, asking, reply)
      reply.body.drop()
      return pending.end(id, lost(server, 'tool.garbled', { content_type: type.slice(0, 100) }))
    }

    async #followEvents(id: MessageId, asking: OutgoingExchange, reply: HttpReply): Promise<void> {
      const { last_id, retry_ms } = await events(id, reply, asking)
      if (pending.isWaiting(id) && last_id !== undefined && last_id !== '') {
        this.#isAnsweredByStream = true
        if (this.#isLegacy) await resume(id, last_id, retry_ms, (next) => (this.#asking = next))
      }
      pending.end(id, lost(server, 'tool.broke_off', { how: 'its stream ended without an answer' }))
    }
  }

  function failed(id: MessageId, { unreachable, unsent, says, login }: NoReply): void {
    if (unreachable) life.end(`could not be reached: ${says}`)
    // After reconnecting, it either works without a login or says that it needs one.
    if (login === 'needed') life.end(`needs a login: ${says}`)
    if (login !== undefined) return pending.end(id, loginNeeded(server, says))
    pending.end(id, unsent ? notSent(server, says) : lost(server, 'tool.broke_off', { how: says }))
  }

  async function refused(id: MessageId, reply: HttpReply): Promise<void> {
    const { answer, doubts_session } = await refusalOf(server, id, reply)
    if (doubts_session && (await isSessionGone())) life.end('its session has ended')
    pending.end(id, answer)
  }

  function json(id: MessageId, body: WholeBody): void {
    if (body === 'too_large') return pending.end(id, lost(server, 'tool.too_large', { limit: String(limit) }))
    if (body === 'broke_off') return pending.end(id, lost(server, 'tool.broke_off', { how: 'its answer was cut off' }))
    inbox.receive(body.toString(), id)
    if (pending.isWaiting(id)) pending.end(id, lost(server, 'tool.garbled'))
  }

  /** After the answer the stream may end by itself for a while, so that its connection can be reused. */
  async function events(id: MessageId, reply: HttpReply, asking: OutgoingExchange) {
    let patience: NodeJS.Timeout | undefined
    const end = await readEvents(reply, {
      limit,
      inbox,
      event({ event, data }) {
        if (event === 'message') inbox.receive(data, id)
        if (!pending.isWaiting(id)) patience ??= setTimeout(() => asking.abort(), tuning.grace_ms).unref()
        return true
      },
    })
    clearTimeout(patience)
    return end
  }

  const resume = (
    id: MessageId,
    last_id: string,
    retry_ms: number | undefined,
    onAsk: (next: OutgoingExchange) => void,
  ) =>
    resumeStream(
      { channel, session, tuning, onAsk, isWanted: () => pending.isWaiting(id) },
      (reply, asking) => events(id, reply, asking),
      { last_id, retry_ms },
    )

  /** A request about nothing but the session: a rejection for one tool must not end the session for the others. */
  async function isSessionGone(): Promise<boolean> {
    if (session.id() === undefined || !life.isUsable()) return false
    const reply = await sendAlone('{"jsonrpc":"2.0","id":"session","method":"ping"}')
    return reply !== undefined && [400, 404].includes(reply.status)
  }

  /** Sends a message; only the status of its answer is used. */
  async function sendAlone(body: string): Promise<HttpReply | undefined> {
    const asking = channel.ask({ method: 'POST', headers: { ...POSTED, ...session.headers() }, body })
    const timer = setTimeout(() => asking.abort(), tuning.grace_ms).unref()
    const reply = await asking.reply
    if (reply.is === 'reply') await readBody(reply.body, limit)
    clearTimeout(timer)
    return reply.is === 'reply' ? reply : undefined
  }

  async function leave(): Promise<void> {
    if (session.id() === undefined) return
    const asking = channel.ask({ method: 'DELETE', headers: session.headers() })
    const timer = setTimeout(() => asking.abort(), tuning.grace_ms)
    await asking.reply
    clearTimeout(timer)
  }

  function kill(how: string): void {
    life.end(how)
    pending.endAll(lost(server, 'tool.broke_off', { how }))
    channel.destroy()
  }

  async function close(): Promise<void> {
    const had_session = life.isUsable()
    life.end('closed')
    pending.endAll(lost(server, 'tool.broke_off', { how: 'closed' }))
    if (had_session) await leave()
    channel.destroy()
  }

  return {
    transport,
    probe: 'twice',
    ended: life.ended,
    isUsable: () => life.isUsable(),
    ask: (request, envelope) => pending.run(request, new Posted(request, envelope)),
    faultOf(definition, envelope) {
      const mirrors = Object.keys(envelope).length === 0 ? [] : mirrorsOf(definition.inputSchema)
      return typeof mirrors === 'string' ? mirrors : undefined
    },
    loginNeed: () => channel.loginNeed(),
    late: () => pending.late(),
    kill: () => kill('stopped because it no longer answered'),
    close,
  }
}

const POSTED = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

type ResumeSetup = {
  readonly channel: HttpChannel
  readonly session: McpSession
  readonly tuning: UpstreamTuning
  readonly onAsk: (asking: OutgoingExchange) => void
  readonly isWanted: () => boolean
}

/**
 * A server may end the stream of an answer it is still working on, after it said where to resume (2025-11-25). Asking for the
 * rest runs nothing again. Returns when the rest was read, or is not available.
 */
async function resumeStream(
  { channel, session, tuning, onAsk, isWanted }: ResumeSetup,
  read: (reply: HttpReply, asking: OutgoingExchange) => Promise<StreamEnd>,
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
