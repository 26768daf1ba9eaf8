import { isUtf8 } from 'node:buffer'
import { createRoute, type RouteConfig } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import { isJsonObject } from '../../kernel/contract/json.ts'
import { ProblemAnswer } from '../../kernel/contract/answers.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import type { KeptAnswers, App, Door, RouterEnv, KeptAnswer, Kept } from './door.ts'
import type { EndpointInput, Endpoint } from './endpoint.ts'
import { checksQuery, parametersOf } from './parameters.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { readsProof, withoutProof } from './proof.ts'
import { siteOf } from './site-of.ts'
import { numberIn, pageIn } from './query.ts'
import { createHash } from 'node:crypto'
import type { Caller } from '../../kernel/contract/caller.ts'
import { callerIdentity, grantIdentity } from '../../kernel/contract/caller-identity.ts'
import { invalidKey, isIdempotencyKey } from '../../kernel/contract/request-names.ts'

/** Adds endpoints to the router, in an order in which a fixed path comes before one with a part of any value. */
export function mount(app: App, endpoints: readonly Endpoint[]): void {
  const answers: KeptAnswers = new Map()
  for (const one of endpoints.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const route = createRoute(routeOf(one, answers))
    const { answer } = one
    if (answer === undefined && !one.undocumented) app.openAPIRegistry.registerPath(route)
    else if (answer === undefined) continue
    else if (one.undocumented)
      app.on(one.method, [route.getRoutingPath()], ...middlewareOf(one, answers), (c) => answered(one, answer, c))
    else app.openapi(route, (c) => answered(one, answer, c))
  }
}

async function answered(
  one: Endpoint,
  answer: NonNullable<Endpoint['answer']>,
  c: Context<RouterEnv>,
): Promise<Response> {
  const said = await answer(one.access === 'anyone' ? undefined : c.get('caller'), new Routed(one, c))
  return said instanceof Response ? said : jsonResponse(one.status[0], said.value)
}

/** A request that the router matched. Its parts are read when they are needed. */
class Routed implements EndpointInput {
  readonly #one: Endpoint
  readonly #c: Context<RouterEnv>

  constructor(one: Endpoint, c: Context<RouterEnv>) {
    this.#one = one
    this.#c = c
  }

  get params(): Readonly<Record<string, string>> {
    return this.#c.req.param()
  }
  get body(): unknown {
    if (this.#one.body === undefined) return undefined
    const body = this.#c.req.valid('json' as never) as unknown
    return this.#one.grants === true && isJsonObject(body as never) ? withoutProof(body as object) : body
  }
  get query(): Readonly<Record<string, string>> {
    return this.#c.req.query()
  }
  get queries(): Readonly<Record<string, readonly string[]>> {
    return this.#c.req.queries()
  }
  get page(): Page {
    return pageIn(this.query)
  }
  get reader(): Reader {
    const { session } = this.query
    return { caller: this.#c.get('caller'), ...(session === undefined ? {} : { thread: session }) }
  }
  get proof() {
    return this.#c.get('proof') ?? {}
  }
  get site() {
    return siteOf(this.header('host'), this.door.login)
  }
  get trace(): string {
    return this.#c.get('trace')
  }
  get key(): string | undefined {
    return this.header('idempotency-key')
  }
  get local(): boolean {
    return this.#c.env.local
  }
  get remote(): string {
    return this.#c.env.remote
  }
  get door(): Door {
    return this.#c.get('door')
  }
  get header() {
    return (name: string) => this.#c.req.header(name)
  }
  get number() {
    return (name: string, otherwise: number) => numberIn(this.query, name, otherwise)
  }
  get text() {
    return () => this.#c.req.text()
  }
  get isStillAllowed() {
    return async () => {
      const browser = { method: this.#c.req.method, passive: true } as const
      return (await this.door.authenticate({ ...this.#c.env, header: (name) => this.header(name), browser })).ok
    }
  }
}

function routeOf(one: Endpoint, answers: KeptAnswers) {
  const { method, path, access, says, body, undocumented } = one
  return {
    method: method.toLowerCase() as 'get' | 'post' | 'delete',
    path,
    summary: says,
    description: access === 'anyone' ? 'Open to anyone.' : `For: ${access.join(', ')}.`,
    operationId: [method.toLowerCase(), ...(path.match(/\w+/g) ?? [])].join('_'),
    security: access === 'anyone' ? [] : [{ key: [] }],
    parameters: parametersOf({ ...one, method: method.toLowerCase() }),
    responses: responsesOf(one),
    ...(one.answer === undefined || undocumented ? {} : { middleware: middlewareOf(one, answers) }),
    ...(body === undefined
      ? {}
      : { request: { body: { required: true, content: { 'application/json': { schema: body } } } } }),
  } as const satisfies RouteConfig
}

/** In the order in which a request is rejected: by its caller, its query, its body, its proof. */
const middlewareOf = (one: Endpoint, answers: KeptAnswers): MiddlewareHandler<RouterEnv>[] => [
  requires(one),
  // Health checks may send any query.
  ...(one.access === 'anyone' || one.checks_query === true ? [] : [checksQuery(one.query)]),
  ...(one.body === undefined ? [] : [iJsonBody]),
  ...(one.grants === undefined ? [] : [readsProof]),
  // A POST with an idempotency key is executed once.
  ...(one.method === 'POST' && one.keeps_keys === undefined ? [answerOnce(answers)] : []),
]

/** Lets through only the kinds of caller that the endpoint declares. */
function requires({ access, at }: Endpoint): MiddlewareHandler<RouterEnv> {
  return async (c, next) => {
    if (access === 'anyone') return next()
    const browser = { method: c.req.method }
    const { authenticate, noteRefusal } = c.get('door')
    const caller = await authenticate({ ...c.env, header: (name) => c.req.header(name), browser })
    if (!caller.ok) return problemResponse(caller.problem, c.get('trace'))
    if (!access.includes(caller.value.kind)) {
      await noteRefusal({ kind: 'forbidden', caller: caller.value, route: at, trace: c.get('trace') })
      return problemResponse(problem('auth.forbidden', { needs: access.join(', ') }), c.get('trace'))
    }
    c.set('caller', caller.value)
    return next()
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/** JSON.parse keeps the last of two equal keys, so such a body is rejected first, and so is a body that is not JSON or not UTF-8. */
const iJsonBody: MiddlewareHandler<RouterEnv> = async (c, next) => {
  if (!JSON_TYPE.test(c.req.header('content-type') ?? ''))
    return problemResponse(problem('request.media_type'), c.get('trace'))
  if (!isUtf8(await c.req.arrayBuffer()))
    return problemResponse(problem('request.not_ijson', { why: 'not UTF-8' }), c.get('trace'))
  const read = readJson(await c.req.text())
  if (!read.ok) return problemResponse(read.problem, c.get('trace'))
  // The validator uses this value, so the body is not parsed twice.
  c.req.json = () => Promise.resolve(read.value as never)
  return next()
}

type Described = { readonly 200: { readonly description: string }; readonly default: { readonly description: string } }

/** The schemas are only for the document: handlers return finished responses. */
function responsesOf({ answers, status, media = 'application/json' }: Endpoint): Described {
  const schema = answers ?? (media === 'application/json' ? undefined : { type: 'string' as const })
  const good = schema === undefined ? {} : { content: { [media]: { schema } } }
  const bad = { content: { 'application/problem+json': { schema: ProblemAnswer } } }
  const described = status.map((code) => [code, { description: MEANS[code] ?? 'done', ...good }])
  return { ...Object.fromEntries(described), default: { description: 'a problem (RFC 9457)', ...bad } } as Described
}

const MEANS: Readonly<Record<number, string>> = {
  201: 'made',
  202: 'not finished yet: held for approval, or in progress',
}

const HEADER = 'idempotency-key'
const MOST_ANSWERS = 2_000
const LONGEST_ANSWER = 65_536
/** Nothing was done, so the key may be used again, even with another body. */
const NOTHING_DONE: readonly number[] = [400, 401, 403, 413, 429, 503]

/**
 * A repeated POST with the same key and body gets the same answer as the first time.
 * INVARIANT: it is never executed twice. If the first answer is no longer kept, the caller is told so and has to look up the outcome.
 */
const answerOnce =
  (answers: KeptAnswers): MiddlewareHandler<RouterEnv> =>
  async (c, next) => {
    const key = c.req.header(HEADER)
    // A signed callback has no caller, and brings its own id.
    const caller: Caller | undefined = c.get('caller')
    if (key === undefined || caller === undefined) return next()
    if (!isIdempotencyKey(key)) return problemResponse(invalidKey(), c.get('trace'))
    const place = JSON.stringify([callerIdentity(caller), key])
    // Equal requests of credentials that grant different things are not the same request.
    const request = createHash('sha256')
      .update(`${grantIdentity(caller)}\n${c.req.method} ${c.req.url}\n${await c.req.text()}`)
      .digest('hex')
    const kept = answers.get(place)
    if (kept !== undefined && kept !== 'released') {
      if (kept.request !== request) return problemResponse(problem('request.key_reused'), c.get('trace'))
      const answer = await kept.answer
      if (answer === 'not_kept') return problemResponse(problem('request.key_spent'), c.get('trace'))
      if (answer !== 'released') return replayed(answer)
    }
    const { promise, resolve } = Promise.withResolvers<KeptAnswer | 'released' | 'not_kept'>()
    keep(answers, place, { request, answer: promise })
    if (kept === undefined) {
      const claimed = await c.get('door').claimKey(caller, key)
      if (!claimed.ok || claimed.value === 'taken') {
        answers.delete(place)
        resolve(claimed.ok ? 'not_kept' : 'released')
        return problemResponse(claimed.ok ? problem('request.key_spent') : claimed.problem, c.get('trace'))
      }
    }
    await next()
    const { status, headers } = c.res
    if (NOTHING_DONE.includes(status)) {
      answers.set(place, 'released')
      return resolve('released')
    }
    const body = await c.res.clone().text()
    const isKept = body.length <= LONGEST_ANSWER
    return resolve(isKept ? { status, type: headers.get('content-type') ?? '', body } : 'not_kept')
  }

function keep(answers: KeptAnswers, place: string, kept: Kept): void {
  answers.delete(place)
  answers.set(place, kept)
  const oldest = answers.size > MOST_ANSWERS ? answers.keys().next().value : undefined
  if (oldest !== undefined) answers.delete(oldest)
}

function replayed({ status, type, body }: KeptAnswer): Response {
  return new Response(body, { status, headers: { 'content-type': type, 'idempotency-replayed': 'true' } })
}
