import type { Context } from 'hono'
import type { Gate } from '../../main/gate.ts'
import { textsInFlow } from '../../kernel/sessions/answer-texts.ts'
import { isThreadName } from '../../kernel/contract/request-names.ts'
import { z } from 'zod'
import {
  ConsentMintAnswer,
  ExecuteStepAnswer,
  FlowChecklistAnswer,
  FlowListAnswer,
  FlowRunAnswer,
  FlowRunGetAnswer,
  FlowRunListAnswer,
  FlowWithStepsAnswer,
  SubmitReviewAnswer,
} from './flow-answers.ts'
import { FLOW_ACTIONS } from './flows.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import type { Door } from '../../adapters/http/door.ts'
import { numberOf, pageOf, partOf, readerOf } from '../../adapters/http/query.ts'
import { CALLERS, PEOPLE } from '../../adapters/http/access.ts'
import { withoutProof } from '../../adapters/http/proof.ts'
import { route, routeWithBody, type Routes } from '../../adapters/http/route.ts'

const WAIT_MS = 60_000
const text = { type: 'string' } as const

/** The commands validate bodies themselves, so that every door gives the same errors. */
const fields = (properties: Readonly<Record<string, object>>) => z.unknown().meta({ type: 'object', properties })

const BODIES = {
  start: { flow_id: text, version: text, harness: text, task_ref: text, external_ref: text },
  advance: { step_id: text, status: text, skip_reason: text, etag: text },
  evidence: { step_id: text, evidence_ref: text, pointer_kind: text, etag: text },
  consents: {
    allowed_lanes: { type: 'array', items: text },
    cost_cap_units: { type: 'integer' },
    ttl_seconds: { type: 'integer' },
    etag: text,
    passphrase: text,
    passkey: { type: 'object' },
  },
  execute: { step_id: text, consent_id: text, model_lane: text, dry_run: { type: 'boolean' }, etag: text },
  review: { intent: text, step_id: text, etag: text },
  abandon: { reason: text, etag: text },
} as const

/** Flows, their runs and consents. */
export const flowRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/api/v1/flows',
      query: ['limit', 'after', 'session', 'vault_id'],
      access: CALLERS,
      summary: 'The flows that you can see, each in its newest version',
      answers: FlowListAnswer,
    }),
    async (c) => answered(gate, c, await gate.flows.flows(c.get('caller'), { ...pageOf(c), ...vaultIn(c) })),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/api/v1/flows/import',
      query: ['session', 'vault_id'],
      status: [201],
      access: PEOPLE,
      summary: 'Import a bundle: `{source}` with YAML or JSON text, or the bundle itself',
      body: fields({ source: text, flow: { type: 'object' }, steps: { type: 'array' }, base_version: text }),
      answers: FlowWithStepsAnswer,
    }),
    async (c) => {
      const { vault_id } = vaultIn(c)
      return answered(gate, c, await gate.flows.import(c.get('caller'), c.req.valid('json') as Json, vault_id), 201)
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/api/v1/flows/runs',
      query: ['flow_id', 'status', 'cursor', 'limit', 'session', 'vault_id'],
      checks_query: true,
      access: CALLERS,
      summary: 'The runs that you can see, newest first',
      answers: FlowRunListAnswer,
    }),
    async (c) => answered(gate, c, await gate.flows.list(c.get('caller'), queryOf(c))),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/api/v1/flows/runs',
      query: ['session', 'vault_id'],
      checks_query: true,
      status: [201],
      access: CALLERS,
      summary: 'Start a run of a flow',
      body: fields(BODIES.start),
      answers: FlowRunAnswer,
    }),
    async (c) => answered(gate, c, await gate.flows.start(c.get('caller'), bodyOf(c, c.req.valid('json'))), 201),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/api/v1/flows/flow_run',
      query: ['wait_ms'],
      access: CALLERS,
      summary: 'Any action by its name, with the same body as the MCP tool `flow_run`',
      body: fields({ action: { type: 'string', enum: FLOW_ACTIONS } }),
      grants: true,
      answers: z.record(z.string(), z.unknown()),
    }),
    async (c) => {
      const body = c.req.valid('json') as Json
      const more = { trace: c.get('trace'), wait_ms: numberOf(c, 'wait_ms', WAIT_MS) }
      const asked = isJsonObject(body) ? withoutProof(body) : body
      return answered(gate, c, await gate.flows.act(c.get('caller'), asked, more, c.get('proof')))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/api/v1/flows/runs/{run_id}',
      query: ['session', 'vault_id'],
      checks_query: true,
      access: CALLERS,
      summary: 'One run',
      answers: FlowRunGetAnswer,
    }),
    async (c) => answered(gate, c, await gate.flows.get(c.get('caller'), queryOf(c, ['run_id']))),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/api/v1/flows/runs/{run_id}/checklist',
      query: ['session', 'vault_id'],
      checks_query: true,
      access: CALLERS,
      summary: 'One run as a checklist: its steps, evidence, consents, executions, and who did what',
      answers: FlowChecklistAnswer,
    }),
    async (c) => answered(gate, c, await gate.flows.checklist(c.get('caller'), queryOf(c, ['run_id']))),
  )
  const acts = [
    ['advance', 'Set the status of a step: in_progress, blocked, done, skipped', FlowRunAnswer, 'advance'],
    ['evidence', 'Attach a pointer to a step; it is checked', FlowRunAnswer, 'evidence'],
    ['review', 'Submit a proposal for a person to review', SubmitReviewAnswer, 'submitReview'],
    ['abandon', 'End a run that will not be finished', FlowRunAnswer, 'abandon'],
  ] as const
  for (const [name, summary, answers, act] of acts)
    app.openapi(
      routeWithBody({
        method: 'post',
        path: `/api/v1/flows/runs/{run_id}/${name}`,
        query: ['session', 'vault_id'],
        checks_query: true,
        access: CALLERS,
        summary,
        body: fields(BODIES[name]),
        answers,
      }),
      async (c) =>
        answered(gate, c, await gate.flows[act](c.get('caller'), bodyOf(c, c.req.valid('json'), ['run_id']))),
    )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/api/v1/flows/runs/{run_id}/consents',
      query: ['session', 'vault_id'],
      checks_query: true,
      access: CALLERS,
      summary: 'Mint a consent for executions of this run',
      grants: true,
      body: fields(BODIES.consents),
      answers: ConsentMintAnswer,
    }),
    async (c) => {
      const body = withoutProof(bodyOf(c, c.req.valid('json'), ['run_id']))
      return answered(gate, c, await gate.flows.mint(c.get('caller'), body, c.get('proof')))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/api/v1/flows/runs/{run_id}/execute',
      query: ['session', 'vault_id', 'wait_ms'],
      checks_query: true,
      access: CALLERS,
      summary: 'Let an agent carry out an automatable step under a consent (wait_ms for its end, default 60000)',
      body: fields(BODIES.execute),
      answers: ExecuteStepAnswer,
    }),
    async (c) => {
      const { wait_ms, ...body } = bodyOf(c, c.req.valid('json'), ['run_id'])
      const more = { trace: c.get('trace'), wait_ms: waitOf(wait_ms) }
      return answered(gate, c, await gate.flows.execute(c.get('caller'), body, more))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/api/v1/flows/consents/{consent_id}/revoke',
      query: ['session', 'vault_id'],
      checks_query: true,
      access: CALLERS,
      summary: 'Revoke a flow consent',
      body: fields({ etag: text }),
      answers: ConsentMintAnswer,
    }),
    async (c) =>
      answered(gate, c, await gate.flows.revoke(c.get('caller'), bodyOf(c, c.req.valid('json'), ['consent_id']))),
  )
  app.openapi(
    route({
      method: 'get',
      path: '/api/v1/flows/{flow_id}',
      query: ['version', 'session', 'vault_id'],
      access: CALLERS,
      summary: 'One flow with its steps',
      answers: FlowWithStepsAnswer,
    }),
    async (c) => {
      const version = c.req.query('version')
      const asked = { flow_id: partOf(c, 'flow_id'), ...vaultIn(c), ...(version === undefined ? {} : { version }) }
      return answered(gate, c, await gate.flows.flow(c.get('caller'), asked))
    },
  )
}

const vaultIn = (c: Context<Door>): { readonly vault_id?: string } => {
  const vault_id = c.req.query('vault_id')
  return vault_id === undefined ? {} : { vault_id }
}

const waitOf = (value: Json | undefined): number =>
  typeof value === 'string' && /^\d{1,6}$/.test(value) ? Math.min(Number(value), WAIT_MS) : WAIT_MS

type Part = 'run_id' | 'consent_id'

/** The query and path parameters as fields of the request. A field that is given twice is rejected by its command. */
function queryOf(c: Context<Door>, parts: readonly Part[] = []): JsonObject {
  const named = Object.fromEntries(parts.map((part) => [part, c.req.param(part) ?? '']))
  const others = Object.entries(c.req.queries()).filter(
    ([name, values]) => name !== 'session' || !values.every(isThreadName) || values.length > 1,
  )
  const asked = others.map(([name, values]) => [
    parts.some((part) => part === name) ? `${name} in the query` : name,
    values.length === 1 ? (values[0] ?? '') : values,
  ])
  return { ...(Object.fromEntries(asked) as JsonObject), ...named }
}

/** The body with the query, the parts of the path and `If-Match`. */
function bodyOf(c: Context<Door>, body: unknown, parts: readonly Part[] = []): JsonObject {
  const given = body as Json
  // A body that is not an object is rejected by its command.
  if (!isJsonObject(given)) return { 'the body is not an object': true }
  const clash = parts.find((part) => given[part] !== undefined && given[part] !== c.req.param(part))
  const etag = c.req.header('if-match')
  return {
    ...given,
    ...queryOf(c, parts),
    ...(clash === undefined ? {} : { [`${clash} in the body`]: true }),
    ...(etag === undefined ? {} : { etag }),
  }
}

/** Texts of others in the answer are recorded in the session of the reader. The etag of a run is also sent as a header. */
async function answered(gate: Gate, c: Context<Door>, answer: Result<object>, status = 200): Promise<Response> {
  const asked = c.req.method === 'POST' ? await c.req.json<Json>() : null
  const done = await gate.readings.labelled(readerOf(c), answer, (value) => textsInFlow(value, asked))
  if (!done.ok) return problemResponse(done.problem, c.get('trace'))
  const response = jsonResponse(status, done.value)
  const { run } = done.value as { readonly run?: { readonly etag?: string } }
  if (run?.etag !== undefined) response.headers.set('etag', `"${run.etag}"`)
  return response
}
