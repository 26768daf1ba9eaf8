import { isUtf8 } from 'node:buffer'
import { createRoute, type RouteConfig } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import type { Gate } from '../../main/gate.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import { ProblemAnswer } from '../../kernel/contract/answers.ts'
import { problem } from '../../kernel/contract/problems.ts'
import type { Access } from './access.ts'
import { answerOnce } from './answer-once.ts'
import type { App, Door } from './door.ts'
import { checksQuery, parametersOf, type QueryName } from './parameters.ts'
import { problemResponse } from './problem.ts'
import { readsProof } from './proof.ts'

/** Adds its routes to the app. */
export type Routes = (app: App, gate: Gate) => void

/** Kinds of caller by `METHOD path`, as declared. A route that is not here does not exist (test/security/access.test.ts). */
export const ACCESS = new Map<string, Access>()

/**
 * The routes that give permission in somebody's name, so that calls run which a person would have been asked about. Only these
 * are given the proof of the person, and they must be given it (test/security/proofs.test.ts).
 */
export const GRANTS = new Set<string>()

/** Declares a route that is served without the router or is not in the OpenAPI document. Returns who may use it. */
export function declareRoute(method: string, path: string, access: Access): Access {
  ACCESS.set(routeName(method, path), access)
  return access
}

/** The methods that some route at this address takes. */
export function methodsAt(address: string): readonly string[] {
  const patternOf = (path: string) =>
    new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return [...ACCESS.keys()].flatMap((name) => {
    const [method = '', path = ''] = name.split(' ')
    return patternOf(path).test(address) ? [method] : []
  })
}

const routeName = (method: string, path: string) => `${method.toUpperCase()} ${path}`

type Description<Path extends string, Body extends z.ZodType> = {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: Path
  readonly access: Access
  readonly summary: string
  readonly body?: Body
  /** Its query parameters. */
  readonly query?: readonly QueryName[]
  /** The schema of its successful answer. */
  readonly answers?: z.ZodType
  /** Its success statuses, if not only 200. */
  readonly status?: readonly number[]
  /** Its content type, if not JSON. */
  readonly media?: string
  /** Its command checks the query itself. */
  readonly checks_query?: true
  /** Its command handles idempotency keys itself. */
  readonly keeps_keys?: true
  /** It can give permission in somebody's name: its body may contain the proof of the person. */
  readonly grants?: true
}

/** Declares one route: who may use it, what it takes. The same declaration makes the OpenAPI document and the access matrix. */
export function route<Path extends string>(
  description: Omit<Description<Path, never>, 'body'>,
): ReturnType<typeof plain<Path>> {
  declareRoute(description.method, description.path, description.access)
  return plain(description)
}

/** The same, for a route with a JSON body. */
export function routeWithBody<Path extends string, Body extends z.ZodType>(
  description: Description<Path, Body> & { readonly body: Body },
) {
  const { method, path, access, body } = description
  declareRoute(method, path, access)
  return createRoute({
    ...shared(description),
    middleware: [
      requires(access, routeName(method, path)),
      ...checks(description),
      iJsonBody,
      ...proofs(description),
      ...once(description),
    ] as const,
    request: { body: { required: true, content: { 'application/json': { schema: body } } } },
  })
}

function plain<Path extends string>(description: Omit<Description<Path, never>, 'body'>) {
  const { method, path, access } = description
  return createRoute({
    ...shared(description),
    middleware: [
      requires(access, routeName(method, path)),
      ...checks(description),
      ...proofs(description),
      ...once(description),
    ] as const,
  })
}

/** Lets through only the kinds of caller that the route declares. */
function requires(access: Access, route: string): MiddlewareHandler<Door> {
  return async (c, next) => {
    if (access === 'anyone') return next()
    const browser = { method: c.req.method }
    const caller = await c.get('authenticate')({ ...c.env, header: (name) => c.req.header(name), browser })
    if (!caller.ok) return problemResponse(caller.problem, c.get('trace'))
    if (!access.includes(caller.value.kind)) {
      await c.get('gate').audit.noteRefusal({ kind: 'forbidden', caller: caller.value, route, trace: c.get('trace') })
      return problemResponse(problem('auth.forbidden', { needs: access.join(', ') }), c.get('trace'))
    }
    c.set('caller', caller.value)
    return next()
  }
}

/** Checked again while a stream is open, because the key may be revoked or the person may log out. */
export function stillAllowed(c: Context<Door>): () => Promise<boolean> {
  const browser = { method: c.req.method, passive: true } as const
  return async () => (await c.get('authenticate')({ ...c.env, header: (name) => c.req.header(name), browser })).ok
}

/** Health checks may send any query. */
const checks = ({
  access,
  query,
  checks_query,
}: Pick<Description<never, never>, 'access' | 'query' | 'checks_query'>) =>
  access === 'anyone' || checks_query === true ? [] : [checksQuery(query)]

/** A route that is not declared to give permission cannot pass on a proof. */
function proofs({ method, path, grants }: Pick<Description<string, never>, 'method' | 'path' | 'grants'>) {
  if (grants === undefined) return []
  GRANTS.add(routeName(method, path))
  return [readsProof]
}

/** A POST with an idempotency key is executed once. */
function once({ method, keeps_keys }: { readonly method: string; readonly keeps_keys?: true }) {
  return method === 'post' && keeps_keys === undefined ? [answerOnce] : []
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/** JSON.parse keeps the last of two equal keys, so such a body is rejected first, and so is a body that is not JSON or not UTF-8. */
const iJsonBody: MiddlewareHandler<Door> = async (c, next) => {
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

function shared<Path extends string>(description: Omit<Description<Path, never>, 'body'>) {
  const { method, path, access, summary } = description
  return {
    method,
    path,
    summary,
    description: access === 'anyone' ? 'Open to anyone.' : `For: ${access.join(', ')}.`,
    operationId: [method, ...(path.match(/\w+/g) ?? [])].join('_'),
    security: access === 'anyone' ? [] : [{ key: [] }],
    parameters: parametersOf(description),
    responses: responsesOf(description),
  } as const satisfies RouteConfig
}

type Answers = Pick<Description<never, never>, 'answers' | 'status' | 'media'>
type Described = { readonly 200: { readonly description: string }; readonly default: { readonly description: string } }

/** The schemas are only for the document: handlers return finished responses. */
function responsesOf({ answers, status = [200], media = 'application/json' }: Answers): Described {
  const schema = answers ?? (media === 'application/json' ? undefined : { type: 'string' as const })
  const good = schema === undefined ? {} : { content: { [media]: { schema } } }
  const bad = { content: { 'application/problem+json': { schema: ProblemAnswer } } }
  const described = status.map((code) => [code, { description: MEANS[code] ?? 'done', ...good }])
  return { ...Object.fromEntries(described), default: { description: 'a problem (RFC 9457)', ...bad } } as Described
}

const MEANS: Readonly<Record<number, string>> = {
  201: 'made',
  202: 'not finished yet: held for a person, or in progress',
}
