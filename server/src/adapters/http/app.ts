import { OpenAPIHono } from '@hono/zod-openapi'
import { bodyLimit } from 'hono/body-limit'
import { problem } from '../../kernel/contract/problems.ts'
import { BODY_LIMIT } from './body-limit.ts'
import { isClientGone } from './client-gone.ts'
import type { App, Door, RouterEnv } from './door.ts'
import { endpoint, methodsAt, type Endpoint } from './endpoint.ts'
import { knownHost } from './known-host.ts'
import { mount } from './mount.ts'
import { invalidRequest, problemResponse } from './problem.ts'
import { traceOf } from './trace-of.ts'

export type HttpDoor = Door & {
  readonly endpoints: readonly Endpoint[]
  readonly version: string
  readonly newTrace: () => string
  /** The host names of this gate, besides those of the loopback. */
  readonly hosts: readonly string[]
  /** Reports an unexpected error; returns the incident's id. */
  readonly onIncident: (error: unknown, trace: string) => string
}

/** The HTTP door: checks the caller against the declared access, and passes requests on to the declared endpoints. */
export function httpApp(door: HttpDoor): App {
  const app = new OpenAPIHono<RouterEnv>({
    defaultHook: (result, c) =>
      result.success ? undefined : problemResponse(invalidRequest(result.error.issues), c.get('trace')),
  })

  app.use(async (c, next) => {
    c.set('door', door)
    c.set('trace', traceOf(c.req.header('traceparent')) ?? door.newTrace())
    await next()
    // The body of such an answer is not read, and a stream would stay open.
    if (c.req.method === 'HEAD') await c.res.body?.cancel()
    c.header('x-content-type-options', 'nosniff')
    c.header('x-trace-id', c.get('trace'))
  })
  const isOurs = knownHost(door.hosts)
  app.use((c, next) => {
    const { host, origin } = c.req.header()
    if (c.env.local || isOurs({ host, origin })) return next()
    return Promise.resolve(problemResponse(problem('request.foreign_host'), c.get('trace')))
  })
  app.use(
    bodyLimit({
      maxSize: BODY_LIMIT,
      onError: (c) => problemResponse(problem('request.too_large', { limit: String(BODY_LIMIT) }), c.get('trace')),
    }),
  )
  let openapi: string | undefined
  // Made once: it takes long, and anybody may ask for it.
  const document = openapiEndpoint(() => (openapi ??= JSON.stringify(documentOf(app, door.version))))
  const endpoints = [...door.endpoints, document]
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', { type: 'http', scheme: 'bearer' })
  mount(app, endpoints)

  app.notFound((c) => {
    const methods = methodsAt(endpoints, c.req.path)
    if (methods.length === 0) return problemResponse(problem('route.unknown', { path: c.req.path }), c.get('trace'))
    return problemResponse(problem('request.method_not_allowed', { allow: methods.join(', ') }), c.get('trace'))
  })
  app.onError((error, c) => {
    // It is not an incident, and needs no answer.
    if (isClientGone(error, c.env?.connection))
      return problemResponse(problem('request.malformed', { because: 'aborted' }), c.get('trace'))
    return problemResponse(problem('internal', { incident: door.onIncident(error, c.get('trace')) }), c.get('trace'))
  })
  return app
}

export const openapiEndpoint = (document: () => string): Endpoint =>
  endpoint({
    at: 'GET /openapi.json',
    access: 'anyone',
    says: 'This document',
    undocumented: true,
    run: () => new Response(document(), { headers: { 'content-type': 'application/json' } }),
  })

/** The OpenAPI document. Its paths and their methods are sorted, so that it does not depend on the order of registration. */
function documentOf(app: App, version: string): object {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/' }],
  })
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [path, sorted(methods)] as const)
  return { ...document, paths: sorted(Object.fromEntries(paths)) }
}

const sorted = <T extends object>(fields: T): object =>
  Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
