import {
  isInitializedNotification,
  isInitializeRequest,
  isJSONRPCRequest,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import type { MessageInbox } from '../inbox.ts'
import type { UpstreamTuning } from '../tuning.ts'
import { readBody } from './body.ts'
import type { HttpChannel } from './channel.ts'
import { messageHeaders } from './era-headers.ts'
import { headerOf, mediaType, notMcp, type OutgoingExchange, type HttpReply } from './exchange.ts'
import type { Lifetime } from './lifetime.ts'
import { readEvents } from './read-events.ts'
import type { McpSession } from './mcp-session.ts'

export type SdkTransportSetup = {
  readonly channel: HttpChannel
  readonly session: McpSession
  readonly inbox: MessageInbox
  readonly limit: number
  readonly tuning: UpstreamTuning
  readonly life: Lifetime
  readonly onInitialized: () => void
  readonly close: () => Promise<void>
}

/**
 * Streamable HTTP for the SDK's own messages: handshake, lists, subscriptions. The SDK's transport does the same, but reads
 * answers of any size into memory and cannot share connections, credentials and the session with our calls.
 */
export function sdkTransport(deps: SdkTransportSetup): Transport {
  const { channel, session, inbox, limit, tuning, life } = deps

  async function send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const is_handshake = isInitializeRequest(message)
    const { 'mcp-session-id': id, ...others } = session.headers()
    const asking = channel.ask({
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...others,
        ...(is_handshake || id === undefined ? {} : { 'mcp-session-id': id }),
        ...messageHeaders(message),
      },
      body: JSON.stringify(message),
    })
    const abort = () => asking.abort()
    options?.requestSignal?.addEventListener('abort', abort)
    const timer = setTimeout(abort, tuning.start_timeout_ms)
    try {
      const reply = await replyOf(asking)
      if (is_handshake && reply.status === 200) session.begin(headerOf(reply, 'mcp-session-id'))
      await read(reply, message, options)
      if (isInitializedNotification(message)) deps.onInitialized()
    } finally {
      clearTimeout(timer)
    }
  }

  async function replyOf(asking: OutgoingExchange): Promise<HttpReply> {
    const reply = await asking.reply
    if (reply.is === 'reply') return reply
    if (reply.unreachable) life.end(`could not be reached: ${reply.says}`)
    throw new Error(reply.says)
  }

  async function read(reply: HttpReply, message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const is_asked = isJSONRPCRequest(message)
    if (is_asked && reply.status === 200 && mediaType(reply) === 'text/event-stream') {
      const ended = () => (options?.requestSignal?.aborted === true ? undefined : options?.onRequestStreamEnd?.())
      void readEvents(reply, { limit, inbox }).then(ended)
      return
    }
    const body = await readBody(reply.body, limit)
    if (body === 'too_large') throw new Error('its answer is larger than its limit')
    const text = typeof body === 'string' ? '' : body.toString()
    if (reply.status < 200 || reply.status > 299) return refuse(reply, message, text)
    if (!is_asked) return
    if (mediaType(reply) !== 'application/json')
      throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `it answered ${notMcp(reply)}`)
    if (body === 'broke_off') throw new Error('its answer was cut off')
    inbox.receive(text)
  }

  /** Since 2026-07-28 a rejected message can still have a proper answer. */
  function refuse(reply: HttpReply, message: JSONRPCMessage, text: string): void {
    if (reply.status === 400 && messageHeaders(message)['mcp-method'] !== undefined && isAnswerTo(message, text))
      return inbox.receive(text)
    if (reply.status === 404 && session.id() !== undefined) life.end('its session has ended')
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `it answered HTTP ${reply.status}`, {
      status: reply.status,
      statusText: reply.status_text,
      text,
    })
  }

  return {
    hasPerRequestStream: true,
    start: () => Promise.resolve(),
    send,
    setProtocolVersion: (version) => session.agree(version),
    close: deps.close,
  }
}

function isAnswerTo(message: JSONRPCMessage, text: string): boolean {
  try {
    const said = JSON.parse(text) as { id?: unknown; error?: unknown } | null
    return isJSONRPCRequest(message) && said?.id === message.id && said.error !== undefined
  } catch {
    return false
  }
}
