import type { IncomingMessage, ServerResponse } from 'node:http'
import { readJson } from '../../kernel/json/read-json.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { Bug, problem } from '../../kernel/contract/problems.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import { BODY_LIMIT } from './body-limit.ts'
import type { ClientAddress } from './client-address.ts'
import type { Door } from './door.ts'
import type { EndpointInput, Endpoint } from './endpoint.ts'
import { knownHost } from './known-host.ts'
import type { DoorListener } from './listen.ts'
import { invalidRequest, problemResponse } from './problem.ts'
import { siteOf } from './site-of.ts'
import { readBody } from './read-body.ts'
import { traceOf } from './trace-of.ts'

export type PlainDoor = {
  readonly door: Door
  readonly hosts: readonly string[]
  readonly addressOf: ClientAddress
  readonly newTrace: () => string
  readonly onIncident: (error: unknown, trace: string) => string
}

/**
 * An endpoint that is declared as `plain`, on `node:http` alone, because the router and its request objects take longer than the rest of
 * this door. The router serves it as well, and answers every request that is not plain: with a query, a login cookie, or a body of
 * unknown length.
 * INVARIANT: both give the same answer to the same request (law in test/doors.test.ts).
 */
export function plainListener(one: Endpoint, { door, ...more }: PlainDoor): DoorListener {
  const isOurs = knownHost(more.hosts)
  const { access, body: schema, at, path, method } = one
  const answerOf = one.answer ?? nothingAnswers

  async function answer(asked: PlainRequest): Promise<void> {
    const { request, local, trace } = asked
    const { headers } = request
    if (!local && !isOurs({ host: headers.host, origin: headers.origin }))
      return write(asked, problemResponse(problem('request.foreign_host'), trace))
    const reading = readBody(request, BODY_LIMIT)
    const authenticated = door.authenticate({
      local,
      remote: asked.remote,
      connection: request.socket,
      header: asked.header,
    })
    const caller = authenticated instanceof Promise ? await authenticated : authenticated
    if (!caller.ok) return write(asked, problemResponse(caller.problem, trace))
    if (access !== 'anyone' && !access.includes(caller.value.kind)) return forbid(asked, caller.value, access)
    asked.caller = caller.value
    const body = await reading
    if (!body.ok) return write(asked, problemResponse(body.problem, trace))
    const read = readJson(withoutMark(body.value))
    if (!read.ok) return write(asked, problemResponse(read.problem, trace))
    const checked = schema?.safeParse(read.value)
    if (checked?.success === false) return write(asked, problemResponse(invalidRequest(checked.error.issues), trace))
    asked.body = checked?.data
    const said = await answerOf(caller.value, asked)
    return said instanceof Response ? write(asked, said) : writeValue(asked, one.status[0], said.value)
  }

  async function forbid(asked: PlainRequest, caller: Caller, needs: readonly string[]): Promise<void> {
    const { trace } = asked
    await door.noteRefusal({ kind: 'forbidden', caller, route: at, trace })
    return write(asked, problemResponse(problem('auth.forbidden', { needs: needs.join(', ') }), trace))
  }

  return (request, response, local) => {
    if (request.url !== path || request.method !== method || !isPlain(request, local)) return false
    const trace = traceOf(request.headers.traceparent) ?? more.newTrace()
    const asked = new PlainRequest(
      door,
      { request, response },
      { local, remote: local ? '' : more.addressOf(request), trace },
    )
    answer(asked).catch((error: unknown) => {
      const incident = more.onIncident(error, trace)
      if (response.headersSent) response.destroy()
      else void write(asked, problemResponse(problem('internal', { incident }), trace))
    })
    return true
  }
}

const nothingAnswers = (): never => {
  throw new Bug('a plain endpoint answers')
}

const NONE: Readonly<Record<string, never>> = {}

/** A request without a query, and without parts in its path. */
class PlainRequest implements EndpointInput {
  readonly params = NONE
  readonly query = NONE
  readonly queries = NONE
  readonly proof = NONE
  readonly page = NONE_ASKED
  readonly door: Door
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly local: boolean
  readonly remote: string
  readonly trace: string
  caller: Caller | undefined
  body: unknown

  constructor(
    door: Door,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    { local, remote, trace }: { local: boolean; remote: string; trace: string },
  ) {
    this.door = door
    this.request = request
    this.response = response
    this.local = local
    this.remote = remote
    this.trace = trace
  }

  get reader(): Reader {
    if (this.caller === undefined) throw new Bug('the caller of a request is not known yet')
    return { caller: this.caller }
  }
  get key(): string | undefined {
    return headerOf(this.request, 'idempotency-key')
  }
  get site() {
    return siteOf(headerOf(this.request, 'host'), this.door.login)
  }
  get header() {
    return (name: string) => headerOf(this.request, name)
  }
  get number() {
    return (_name: string, otherwise: number) => otherwise
  }
  get text() {
    return () => Promise.reject(new Bug('the body of a plain endpoint is declared'))
  }
  get isStillAllowed() {
    return () => Promise.reject(new Bug('a plain endpoint opens no stream'))
  }
}
const NONE_ASKED: Page = { limit: 50 }

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

function writeValue({ response, trace }: PlainRequest, status: number, value: unknown): void {
  const text = JSON.stringify(value)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    'x-trace-id': trace,
  }
  response.writeHead(status, headers).end(text)
}

async function write({ response, trace }: PlainRequest, made: Response): Promise<void> {
  const text = await made.text()
  const headers = Object.fromEntries(made.headers)
  const own = { 'content-length': Buffer.byteLength(text), 'x-content-type-options': 'nosniff', 'x-trace-id': trace }
  response.writeHead(made.status, { ...headers, ...own }).end(text)
}
