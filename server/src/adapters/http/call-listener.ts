import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gate } from '../../main/gate.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import { CallBody } from '../../kernel/contract/call-body.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { BODY_LIMIT } from './body-limit.ts'
import type { Authenticate } from './caller-of.ts'
import type { ClientAddress } from './client-address.ts'
import { knownHost } from './known-host.ts'
import type { DoorListener } from './listen.ts'
import { invalidRequest, problemResponse } from './problem.ts'
import { readBody } from './read-body.ts'
import { traceOf } from './trace-of.ts'
import { callRequestOf, outcomeResponse } from './call-request.ts'
import { CALLERS } from './access.ts'

export type CallDoor = {
  readonly gate: Gate
  readonly authenticate: Authenticate
  readonly hosts: readonly string[]
  readonly addressOf: ClientAddress
  readonly newTrace: () => string
  readonly onIncident: (error: unknown, trace: string) => string
}

/** One request at this door. */
type Asked = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly local: boolean
  readonly trace: string
}

const PATH = '/v1/calls'

/**
 * `POST /v1/calls` on plain `node:http`, because the router and its request objects take longer than the rest of this door. The router
 * still describes the route, and answers every request that is not plain: with a query, a login cookie, or a body of unknown length.
 * INVARIANT: both give the same answer to the same request (law in test/doors/doors.test.ts).
 */
export function callListener(door: CallDoor): DoorListener {
  const { gate } = door
  const isOurs = knownHost(door.hosts)

  async function answer(asked: Asked): Promise<void> {
    const { request, local, trace } = asked
    const { headers } = request
    if (!local && !isOurs({ host: headers.host, origin: headers.origin }))
      return write(asked, problemResponse(problem('request.foreign_host'), trace))
    const reading = readBody(request, BODY_LIMIT)
    const authenticated = door.authenticate({
      local,
      remote: local ? '' : door.addressOf(request),
      connection: request.socket,
      header: (name) => headerOf(request, name),
    })
    const caller = authenticated instanceof Promise ? await authenticated : authenticated
    if (!caller.ok) return write(asked, problemResponse(caller.problem, trace))
    if (!CALLERS.includes(caller.value.kind)) return forbid(asked, caller.value)
    const body = await reading
    if (!body.ok) return write(asked, problemResponse(body.problem, trace))
    const read = readJson(withoutMark(body.value))
    if (!read.ok) return write(asked, problemResponse(read.problem, trace))
    const checked = CallBody.safeParse(read.value)
    if (!checked.success) return write(asked, problemResponse(invalidRequest(checked.error.issues), trace))
    const outcome = await gate.calls.dispatch(
      callRequestOf(caller.value, checked.data, {
        trace,
        idempotency_key: headerOf(request, 'idempotency-key'),
        traceparent: headerOf(request, 'traceparent'),
      }),
    )
    if (outcome.status !== 'executed') return write(asked, outcomeResponse(outcome, trace))
    return writeText(asked, JSON.stringify(outcome))
  }

  async function forbid(asked: Asked, caller: Caller): Promise<void> {
    const { trace } = asked
    await gate.audit.noteRefusal({ kind: 'forbidden', caller, route: `POST ${PATH}`, trace })
    return write(asked, problemResponse(problem('auth.forbidden', { needs: CALLERS.join(', ') }), trace))
  }

  return (request, response, local) => {
    if (request.url !== PATH || request.method !== 'POST' || !isPlain(request, local)) return false
    const trace = traceOf(request.headers.traceparent) ?? door.newTrace()
    const asked: Asked = { request, response, local, trace }
    answer(asked).catch((error: unknown) => {
      const incident = door.onIncident(error, trace)
      if (response.headersSent) response.destroy()
      else void write(asked, problemResponse(problem('internal', { incident }), trace))
    })
    return true
  }
}

/** Whether only the headers that this door reads decide about the request. */
function isPlain({ headers }: IncomingMessage, local: boolean): boolean {
  const { authorization, 'content-type': type, 'content-length': length } = headers
  const hasCaller = local || authorization !== undefined
  return hasCaller && type === 'application/json' && length !== undefined && Number(length) <= BODY_LIMIT
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** A text may begin with a byte order mark, as it may for the router. */
const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

function writeText({ response, trace }: Asked, text: string): void {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    'x-trace-id': trace,
  }
  response.writeHead(200, headers).end(text)
}

async function write({ response, trace }: Asked, made: Response): Promise<void> {
  const text = await made.text()
  const headers = Object.fromEntries(made.headers)
  const own = { 'content-length': Buffer.byteLength(text), 'x-content-type-options': 'nosniff', 'x-trace-id': trace }
  response.writeHead(made.status, { ...headers, ...own }).end(text)
}
