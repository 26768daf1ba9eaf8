import type { UpstreamAnswer } from '../../commands/ports.ts'
import { isJsonObject, type Json } from '../../contract/json.ts'
import { answerOf, type FrameId } from '../frames.ts'
import { lost, notSent } from '../pending-calls.ts'
import { readBody, type Reply } from './exchange.ts'

const REFUSAL_LIMIT = 1_048_576
/** Said by what stands before the tools: credentials, addresses, methods, rates. */
const BEFORE_THE_TOOLS = new Set([401, 403, 404, 405, 429])

export type Refusal = {
  readonly answer: UpstreamAnswer
  /** The server does not know our session any more; another one must be opened. */
  readonly session_gone: boolean
}

/** What an answer other than 200 means for a call. Unless it is certain that the call was not run, it is `lost`. */
export async function refusalOf(server: string, id: FrameId, reply: Reply, has_session: boolean): Promise<Refusal> {
  // The rest of an early one's request must not be sent any more: it would make a whole of it.
  if (reply.early) {
    reply.body.destroy()
    return { answer: early(server, reply.status), session_gone: false }
  }
  const error = await errorIn(reply)
  if (error !== undefined && error['id'] === id) return { answer: answerOf(server, error), session_gone: false }
  // No id: the message was refused before anybody looked at what it asks for.
  const is_unread = reply.status === 400 && error !== undefined && (error['id'] ?? null) === null
  if (has_session && (reply.status === 404 || is_unread))
    return { answer: notSent(server, 'its session is gone'), session_gone: true }
  const is_elsewhere = [307, 308].includes(reply.status)
  if (is_elsewhere || BEFORE_THE_TOOLS.has(reply.status)) return { answer: refused(server, reply), session_gone: false }
  return { answer: lost(server, 'tool.garbled', { status: String(reply.status) }), session_gone: false }
}

function refused(server: string, { status }: Reply): UpstreamAnswer {
  const why = [307, 308].includes(status) ? 'points to another address, which is not followed' : 'refused the request'
  return notSent(server, `it ${why} (HTTP ${status})`)
}

/** Nobody can act on half of a request; but a success for it is nothing we understand. */
const early = (server: string, status: number): UpstreamAnswer =>
  status >= 400
    ? notSent(server, `it refused the request before it was complete (HTTP ${status})`)
    : lost(server, 'tool.garbled', { status: String(status) })

async function errorIn(reply: Reply): Promise<Record<string, Json> | undefined> {
  const body = await readBody(reply.body, REFUSAL_LIMIT)
  if (typeof body === 'string') return undefined
  try {
    const said = JSON.parse(body.toString()) as Json
    return isJsonObject(said) && isJsonObject(said['error']) ? said : undefined
  } catch {
    return undefined
  }
}
