import { isJsonObject, type Json } from '../../../kernel/contract/json.ts'
import { replyOf, type MessageId } from '../messages.ts'
import { lost, notSent, type NoResult } from '../pending-calls.ts'
import { readBody } from './body.ts'
import type { HttpReply } from './exchange.ts'

const REFUSAL_LIMIT = 1_048_576
/** Statuses that come from before the tools: credentials, addresses, methods, rates. */
const BEFORE_THE_TOOLS = new Set([401, 403, 405, 429])
/** Redirects that repeat the same request, so nothing was done with it here. */
const ELSEWHERE = new Set([307, 308])

export type HttpRefusal = {
  readonly answer: NoResult
  /** It may mean that the server no longer knows our session. */
  readonly doubts_session: boolean
}

/** What an answer other than 200 means for a call. Unless it is certain that the call did not run, it is `lost`. */
export async function refusalOf(server: string, id: MessageId, reply: HttpReply): Promise<HttpRefusal> {
  // The rest of the request must not be sent any more after an early answer: it would complete the request.
  if (reply.early) {
    reply.body.drop()
    return { answer: early(server, reply.status), doubts_session: false }
  }
  const error = await errorIn(reply)
  if (error !== undefined && error['id'] === id)
    return { answer: replyOf<never>(server, error, { read: () => undefined }), doubts_session: false }
  const { status } = reply
  // An error without an id: the message was rejected before its content was processed.
  if (status === 404 || (status === 400 && error !== undefined && (error['id'] ?? null) === null))
    return { answer: refused(server, status), doubts_session: true }
  const is_certain = BEFORE_THE_TOOLS.has(status) || ELSEWHERE.has(status)
  const answer = is_certain ? refused(server, status) : lost(server, 'tool.garbled', { status: String(status) })
  return { answer, doubts_session: false }
}

function refused(server: string, status: number): NoResult {
  const why = ELSEWHERE.has(status) ? 'redirects to another address, which is not followed' : 'refused the request'
  return notSent(server, `it ${why} (HTTP ${status})`)
}

/** Half of a request cannot be executed; but a success for it makes no sense. */
const early = (server: string, status: number): NoResult =>
  status >= 400
    ? notSent(server, `it refused the request before it was complete (HTTP ${status})`)
    : lost(server, 'tool.garbled', { status: String(status) })

async function errorIn(reply: HttpReply): Promise<Record<string, Json> | undefined> {
  const body = await readBody(reply.body, REFUSAL_LIMIT)
  if (typeof body === 'string') return undefined
  try {
    const said = JSON.parse(body.toString()) as Json
    return isJsonObject(said) && isJsonObject(said['error']) ? said : undefined
  } catch {
    return undefined
  }
}
