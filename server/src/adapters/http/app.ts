import { HealthAnswer } from '../../kernel/contract/answers.ts'
import { hostname } from 'node:os'
import { OpenAPIHono } from '@hono/zod-openapi'
import { bodyLimit } from 'hono/body-limit'
import type { Gate } from '../../main/gate.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { activityRoutes } from '../../guests/activity/activity.ts'
import { adminRoutes } from './admin.ts'
import { approvalRoutes } from './approvals.ts'
import { auditRoutes } from './audit.ts'
import { BODY_LIMIT } from './body-limit.ts'
import { callRoutes } from './calls.ts'
import type { Authenticate } from './caller-of.ts'
import { channelRoutes } from '../../guests/webhook/channels.ts'
import { consentRoutes } from './consents.ts'
import { delegationRoutes } from './delegations.ts'
import { flowRoutes } from '../../guests/flows/flows-http.ts'
import { proposalRoutes } from '../../guests/flows/proposals.ts'
import { isClientGone } from './client-gone.ts'
import { consoleRoutes } from './console.ts'
import { knownHost } from './known-host.ts'
import { hubRoutes } from '../../guests/hub/hub-http.ts'
import { judgementRoutes } from '../../guests/hooks/judgements.ts'
import { loginRoutes } from './login.ts'
import { describeMcp } from './mcp.ts'
import { serverLoginRoutes } from '../../guests/server-logins/server-logins-http.ts'
import { oidcLoginRoutes } from './oidc-login.ts'
import { passkeyRoutes } from './passkeys.ts'
import { passphraseRoutes } from './passphrase.ts'
import { metricsRoute, type MetricsOptions } from '../../guests/telemetry/metrics.ts'
import { pushRoutes } from '../../guests/web-push/push.ts'
import { policyRoutes } from './policies.ts'
import { agentRoutes } from '../../guests/agent/agent-http.ts'
import { toolflowRoutes } from '../../guests/toolflow/toolflow-http.ts'
import { workflowRoutes } from '../../guests/workflows/workflows.ts'
import { invalidRequest, jsonResponse, notReady, problemResponse } from './problem.ts'
import type { Answers, App, Door, LoginOptions } from './door.ts'
import { declareRoute, methodsAt, route } from './route.ts'
import { toolRoutes } from './tools.ts'
import { runRoutes } from './runs.ts'
import { streamRoute } from './stream.ts'
import { traceOf } from './trace-of.ts'

export type HttpDoor = {
  readonly gate: Gate
  readonly version: string
  readonly authenticate: Authenticate
  readonly newTrace: () => string
  /** The host names of this gate, besides those of the loopback. */
  readonly hosts: readonly string[]
  readonly metrics: MetricsOptions
  readonly login?: LoginOptions
  /** Aborted when the gate stops. */
  readonly stopping: AbortSignal
  /** Reports an unexpected error; returns the incident's id. */
  readonly onIncident: (error: unknown, trace: string) => string
}

/** The HTTP door: checks the caller against the declared access, and translates requests into commands. */
export function httpApp(door: HttpDoor): App {
  const app = new OpenAPIHono<Door>({
    defaultHook: (result, c) =>
      result.success ? undefined : problemResponse(invalidRequest(result.error.issues), c.get('trace')),
  })

  const answers: Answers = new Map()
  app.use(async (c, next) => {
    c.set('gate', door.gate)
    c.set('authenticate', door.authenticate)
    c.set('answers', answers)
    c.set('login', door.login ?? {})
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
  app.openapi(
    route({
      method: 'get',
      path: '/healthz',
      access: 'anyone',
      summary: 'The process is alive',
      answers: HealthAnswer,
    }),
    (c) =>
      // The folder's owner may stop the gate: `sluice down`.
      jsonResponse(200, { ok: true, ...(c.env.local ? { pid: process.pid, host: hostname() } : {}) }),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/readyz',
      access: 'anyone',
      summary: 'The gate accepts calls',
      answers: HealthAnswer,
    }),
    (c) => {
      const closed = door.gate.closedBy()
      if (closed !== undefined) return notReady(closed, c.get('trace'))
      // Anyone may call this, so the text of the policy is left out; `/v1/policies` has it.
      const warnings = door.gate.policies
        .notices()
        .map(({ code, says, at }) => ({ code, says, at, see: '/v1/policies' }))
      return jsonResponse(200, { ok: true, ...(warnings.length === 0 ? {} : { warnings }) })
    },
  )
  const rooms = [
    passphraseRoutes,
    callRoutes,
    judgementRoutes,
    activityRoutes,
    toolflowRoutes,
    workflowRoutes,
    consentRoutes,
    delegationRoutes,
    flowRoutes,
    hubRoutes,
    proposalRoutes,
    auditRoutes,
    toolRoutes,
    adminRoutes,
    policyRoutes,
    channelRoutes,
    pushRoutes,
    runRoutes,
    serverLoginRoutes,
  ]
  for (const routes of rooms) routes(app, door.gate)
  approvalRoutes(app, door.gate)
  loginRoutes(app, door.gate, door.login ?? {})
  oidcLoginRoutes(app, door.gate, door.login ?? {})
  passkeyRoutes(app, door.gate)
  streamRoute(app, door.gate, door)
  agentRoutes(app, door.gate, door)
  metricsRoute(app, door.metrics)
  describeMcp(app)
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', { type: 'http', scheme: 'bearer' })
  declareRoute('get', '/openapi.json', 'anyone')
  let openapi: string | undefined
  app.get('/openapi.json', (c) => {
    // Made once: it takes long, and anybody may ask for it.
    openapi ??= JSON.stringify(documentOf(app, door.version))
    return c.body(openapi, 200, { 'content-type': 'application/json' })
  })
  consoleRoutes(app, door.login)

  app.notFound((c) => {
    const methods = methodsAt(c.req.path)
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
