import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client'
import type { Progress, UpstreamReply } from '../../kernel/ports/upstream.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug, problem } from '../../kernel/contract/problems.ts'
import { hasKeys } from './has-keys.ts'
import type { OurRequest } from './our-request.ts'

/** Ids of our own requests. The SDK uses numbers, so the two can share one pipe. */
export type MessageId = `s-${number}`
const OURS = /^s-\d+$/
export const isMessageId = (id: Json | undefined): id is MessageId => typeof id === 'string' && OURS.test(id)

/** What the negotiated revision requires in the `_meta` of every message; nothing before 2026-07-28. */
export type MetaEnvelope = JsonObject

/**
 * One request as a line.
 * INVARIANT: it contains the params unchanged, byte for byte.
 */
export function requestMessage(id: MessageId, request: OurRequest<unknown>, envelope: MetaEnvelope): string {
  const params = request.params(metaOf(id, request, envelope))
  // A raw line break would end the message early and start another one that nobody approved.
  if (/[\n\r]/.test(params)) throw new Bug('the JSON of a message contains a line break')
  return `{"jsonrpc":"2.0","id":"${id}","method":${JSON.stringify(request.method)},"params":${params}}\n`
}

const NOTHING: MetaEnvelope = {}

function metaOf(id: MessageId, { onProgress, onLog }: OurRequest<unknown>, envelope: MetaEnvelope): MetaEnvelope {
  const isNew = hasKeys(envelope)
  if (!isNew && onProgress === undefined) return NOTHING
  // Our own id is also the token: whatever the client chose, no two requests to a server share one.
  const token = onProgress === undefined ? {} : { progressToken: id }
  // Since 2026-07-28 a server logs only on request; before, it does so by default.
  const level = onLog === undefined || !isNew ? {} : { [LOG_LEVEL_META_KEY]: 'debug' }
  return { ...envelope, ...level, ...token }
}

export function cancelMessage(id: MessageId, reason: string, envelope: MetaEnvelope): string {
  const meta = Object.keys(envelope).length === 0 ? {} : { _meta: envelope }
  const params = { requestId: id, reason, ...meta }
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })}\n`
}

const DEEPEST = 200

/** Whether a value is nested deeper than any honest answer; recursion over it could crash the gate. */
export const isTooDeep = (root: Json): boolean => isDeeper(root, DEEPEST)

/** What is shorter cannot be nested that deep: each level takes two characters. */
const SHALLOW = DEEPEST * 2

/** INVARIANT: never recurses deeper than `left`. */
function isDeeper(value: Json | undefined, left: number): boolean {
  if (left < 0) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item: Json) => isDeeper(item, left - 1))
  for (const key of Object.keys(value)) if (isDeeper((value as JsonObject)[key], left - 1)) return true
  return false
}

/**
 * What a server's answer to one of our ids means, and how many characters it had. Anything that is neither a result nor
 * an error is `lost`: it may have run.
 */
export function replyOf<T>(
  server: string,
  message: JsonObject,
  request: Pick<OurRequest<T>, 'read'>,
  length = Infinity,
): UpstreamReply<T> {
  const { result, error } = message
  if (length > SHALLOW && isTooDeep(message))
    return { is: 'lost', problem: problem('tool.garbled', { server, why: 'nested too deep' }) }
  if (isJsonObject(error) && result === undefined) return { is: 'rejected', error }
  const value = isJsonObject(result) && error === undefined ? request.read(result) : undefined
  return value === undefined
    ? { is: 'lost', problem: problem('tool.garbled', { server }) }
    : { is: 'answered', result: value }
}

const AT_HEAD = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"(s-\d+)"/
const AT_TAIL = /"id"\s*:\s*"(s-\d+)"\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** The id of an unreadable line, from its two ends, where serializers put it. Undefined if neither has it. */
export function idAtEnds(head: string, tail: string): MessageId | undefined {
  const id = AT_HEAD.exec(head)?.[1] ?? AT_TAIL.exec(tail)?.[1]
  return isMessageId(id) ? id : undefined
}

/** Longer progress messages are cut. */
const LONGEST_PROGRESS = 10_000

/** Which of our calls a message reports progress of, and its content; undefined if it is not such a message. */
export function progressOf(message: JsonObject): { readonly id: MessageId; readonly says: Progress } | undefined {
  const { method, params } = message
  if (method !== 'notifications/progress' || !isJsonObject(params)) return undefined
  const { progressToken: id, progress, total, message: text } = params
  if (!isMessageId(id) || typeof progress !== 'number') return undefined
  const says = {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof text === 'string' ? { message: text.slice(0, LONGEST_PROGRESS) } : {}),
  }
  return { id, says }
}
