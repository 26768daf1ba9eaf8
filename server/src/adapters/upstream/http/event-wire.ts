import { SdkErrorCode, SdkHttpError, type Transport } from '@modelcontextprotocol/client'
import { cancelMessage, requestMessage, type MessageId } from '../messages.ts'
import { openInbox } from '../inbox.ts'
import { loginNeeded, lost, notSent, pendingCalls } from '../pending-calls.ts'
import type { Wire } from '../wire.ts'
import { openChannel } from './channel.ts'
import { readBody } from './body.ts'
import { mediaType, notMcp, type OutgoingExchange } from './exchange.ts'
import { createLifetime } from './lifetime.ts'
import { readEvents } from './read-events.ts'
import { refusalOf } from './refusal.ts'
import { openMcpSession } from './mcp-session.ts'
import type { HttpWireSetup } from './streamable-wire.ts'

const ACCEPTED_LIMIT = 65_536

/** The transport before streamable HTTP: one stream for everything received, and a URL for everything sent. */
export function openEventWire({ config, tuning, tokens, noise, onNotification }: HttpWireSetup): Wire {
  const { name: server, output_limit: limit } = config
  const channel = openChannel(config, tokens)
  const pending = pendingCalls(config)
  const session = openMcpSession(noise)
  const inbox = openInbox({ server, output_limit: limit, pending, transport: () => transport, noise, onNotification })
  const life = createLifetime(() => transport.onclose?.())
  let endpoint: URL | undefined

  function end(how: string): void {
    life.end(how)
    pending.endAll(lost(server, 'tool.broke_off', { how }))
    channel.destroy()
  }

  /** Opens the stream and waits until it says where to post to. */
  async function start(): Promise<void> {
    const headers = { accept: 'text/event-stream', ...session.headers() }
    const asking = channel.ask({ method: 'GET', headers })
    const timer = setTimeout(() => asking.abort(), tuning.start_timeout_ms)
    const reply = await asking.reply
    if (reply.is === 'fault') {
      clearTimeout(timer)
      throw new Error(reply.says)
    }
    if (reply.status !== 200 || mediaType(reply) !== 'text/event-stream') {
      clearTimeout(timer)
      reply.body.drop()
      const about = { status: reply.status, statusText: '', text: '' }
      const says = reply.status === 200 ? notMcp(reply) : `HTTP ${reply.status}`
      throw new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, `it answered ${says}`, about)
    }
    const { promise: addressKnown, resolve: onAddress } = Promise.withResolvers<undefined>()
    const over = readEvents(reply, {
      limit,
      inbox,
      event({ event, data }) {
        if (event !== 'endpoint') return false
        endpoint ??= URL.canParse(data, channel.url) ? new URL(data, channel.url) : undefined
        onAddress(undefined)
        return true
      },
    })
    void over.then(() => end('its event stream ended'))
    await Promise.race([addressKnown, over])
    clearTimeout(timer)
    if (endpoint?.origin === channel.url.origin) return
    end('did not send the address to post to')
    throw new Error('it did not send the address to post to')
  }

  function post(body: string): OutgoingExchange {
    const headers = { 'content-type': 'application/json', ...session.headers() }
    return channel.ask({ method: 'POST', headers, body }, endpoint)
  }

  const transport: Transport = {
    start,
    async send(message) {
      const asking = post(JSON.stringify(message))
      const timer = setTimeout(() => asking.abort(), tuning.start_timeout_ms)
      const reply = await asking.reply
      clearTimeout(timer)
      if (reply.is === 'fault') throw new Error(reply.says)
      await readBody(reply.body, ACCEPTED_LIMIT)
      if (reply.status < 200 || reply.status > 299) throw new Error(`it answered HTTP ${reply.status}`)
    },
    setProtocolVersion: (version) => session.agree(version),
    close: async () => end('closed'),
  }

  async function conclude(id: MessageId, asking: OutgoingExchange): Promise<void> {
    const reply = await asking.reply
    if (reply.is === 'fault') {
      if (reply.unreachable) life.end(`could not be reached: ${reply.says}`)
      // Once it may have been sent, its outcome arrives on the stream.
      const answer = reply.login === undefined ? notSent : loginNeeded
      if (reply.unsent) pending.end(id, answer(server, reply.says))
      return
    }
    if (reply.status >= 200 && reply.status <= 299) return void (await readBody(reply.body, ACCEPTED_LIMIT))
    // The session is the stream, which is still open.
    pending.end(id, (await refusalOf(server, id, reply)).answer)
  }

  const ask: Wire['ask'] = (request, envelope) => {
    let asking: OutgoingExchange | undefined
    return pending.run(request, {
      send(id) {
        if (!life.isUsable()) return false
        asking = post(requestMessage(id, request, envelope))
        void conclude(id, asking)
        return true
      },
      cancel(id, why) {
        const unsent = asking?.mayHaveLeft() !== true
        if (unsent) asking?.abort()
        else void post(cancelMessage(id, why, envelope)).reply.then((reply) => 'body' in reply && reply.body.drain())
        return { unsent }
      },
    })
  }

  return {
    transport,
    probe: 'never',
    ended: life.ended,
    isUsable: () => life.isUsable(),
    ask,
    faultOf: () => undefined,
    loginNeed: () => channel.loginNeed(),
    late: () => pending.late(),
    kill: () => end('stopped because it no longer answered'),
    close: async () => end('closed'),
  }
}
