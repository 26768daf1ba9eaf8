import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { isThreadName } from '../../kernel/contract/request-names.ts'
import { textsInFlow } from './answer-texts.ts'
import { CALLERS, PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type EndpointInput, type Endpoint } from '../../adapters/http/endpoint.ts'
import { jsonResponse } from '../../adapters/http/problem.ts'
import { withoutProof } from '../../adapters/http/proof.ts'
import { abandonFlowRun } from './abandon-flow-run.ts'
import { actOnFlowRun, type FlowRunPorts } from './act-on-flow-run.ts'
import { addFlowEvidence } from './add-flow-evidence.ts'
import { advanceFlowRun } from './advance-flow-run.ts'
import { executeFlowStep } from './execute-flow-step.ts'
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
import { importFlow, listFlows, readFlow } from './import-flow.ts'
import { mintFlowConsent } from './mint-flow-consent.ts'
import { proposalEndpoints } from './proposals.ts'
import { getFlowRun, listFlowRuns, readChecklist } from './read-flow-runs.ts'
import { revokeFlowConsent } from './revoke-flow-consent.ts'
import { startFlowRun } from './start-flow-run.ts'
import { submitFlowReview } from './submit-flow-review.ts'

const WAIT_MS = 60_000
const text = { type: 'string' } as const

/** The use cases validate bodies themselves, so that every door gives the same errors. */
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

/** How every answer is sent: texts of others in it are recorded, and the etag of a run is also a header. */
const FLOW_ANSWER = {
  reads: (value: object, { body }: Pick<EndpointInput, 'body'>) => textsInFlow(value, (body ?? null) as Json),
  shows: (value: object) => withEtag(200, value),
} as const
/** The query names the session and the vault, and its other parameters are fields of the request. */
const IN_RUN = { access: CALLERS, query: ['session', 'vault_id'], checks_query: true } as const

/** Flows, their runs, consents and proposals. */
export const endpoints = (k: FlowRunPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /api/v1/flows',
    access: CALLERS,
    says: 'The flows that you can see, each in its newest version',
    query: ['limit', 'after', 'session', 'vault_id'],
    answers: FlowListAnswer,
    run: (caller, { page, query }) => listFlows(k, caller, { ...page, ...vaultIn(query) }),
    ...FLOW_ANSWER,
  }),
  endpoint({
    at: 'POST /api/v1/flows/import',
    access: PEOPLE,
    says: 'Import a bundle: `{source}` with YAML or JSON text, or the bundle itself',
    query: ['session', 'vault_id'],
    status: 201,
    body: fields({ source: text, flow: { type: 'object' }, steps: { type: 'array' }, base_version: text }),
    answers: FlowWithStepsAnswer,
    run: (caller, { body, query }) => importFlow(k, caller, body as Json, query.vault_id),
    ...FLOW_ANSWER,
    shows: (value) => withEtag(201, value),
  }),
  endpoint({
    at: 'GET /api/v1/flows/runs',
    access: CALLERS,
    says: 'The runs that you can see, newest first',
    query: ['flow_id', 'status', 'cursor', 'limit', 'session', 'vault_id'],
    checks_query: true,
    answers: FlowRunListAnswer,
    run: (caller, asked) => listFlowRuns(k, caller, queryOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/runs',
    says: 'Start a run of a flow',
    status: 201,
    body: fields(BODIES.start),
    answers: FlowRunAnswer,
    run: (caller, asked) => startFlowRun(k, caller, bodyOf(asked)),
    ...FLOW_ANSWER,
    shows: (value) => withEtag(201, value),
  }),
  endpoint({
    at: 'POST /api/v1/flows/flow_run',
    access: CALLERS,
    says: 'Any action by its name, with the same body as the MCP tool `flow_run`',
    query: ['wait_ms'],
    grants: true,
    body: fields({ action: { type: 'string', enum: FLOW_ACTIONS } }),
    answers: z.record(z.string(), z.unknown()),
    run: (caller, { body, trace, number, proof }) =>
      actOnFlowRun(k, caller, body as Json, { trace, wait_ms: number('wait_ms', WAIT_MS) }, proof),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'GET /api/v1/flows/runs/{run_id}',
    says: 'One run',
    answers: FlowRunGetAnswer,
    run: (caller, asked) => getFlowRun(k, caller, queryOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'GET /api/v1/flows/runs/{run_id}/checklist',
    says: 'One run as a checklist: its steps, evidence, consents, executions, and who did what',
    answers: FlowChecklistAnswer,
    run: (caller, asked) => readChecklist(k, caller, queryOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/runs/{run_id}/advance',
    says: 'Set the status of a step: in_progress, blocked, done, skipped',
    body: fields(BODIES.advance),
    answers: FlowRunAnswer,
    run: (caller, asked) => advanceFlowRun(k, caller, bodyOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/runs/{run_id}/evidence',
    says: 'Attach a pointer to a step; it is checked',
    body: fields(BODIES.evidence),
    answers: FlowRunAnswer,
    run: (caller, asked) => addFlowEvidence(k, caller, bodyOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/runs/{run_id}/review',
    says: 'Submit a proposal for a person to review',
    body: fields(BODIES.review),
    answers: SubmitReviewAnswer,
    run: (caller, asked) => submitFlowReview(k, caller, bodyOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/runs/{run_id}/abandon',
    says: 'End a run that will not be finished',
    body: fields(BODIES.abandon),
    answers: FlowRunAnswer,
    run: (caller, asked) => abandonFlowRun(k, caller, bodyOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/runs/{run_id}/consents',
    says: 'Mint a consent for executions of this run',
    grants: true,
    body: fields(BODIES.consents),
    answers: ConsentMintAnswer,
    run: (caller, asked) => mintFlowConsent(k, caller, withoutProof(bodyOf(asked)), asked.proof),
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/runs/{run_id}/execute',
    says: 'Let an agent carry out an automatable step under a consent (wait_ms for its end, default 60000)',
    query: ['session', 'vault_id', 'wait_ms'],
    body: fields(BODIES.execute),
    answers: ExecuteStepAnswer,
    run(caller, asked) {
      const { wait_ms, ...body } = bodyOf(asked)
      return executeFlowStep(k, caller, body, { trace: asked.trace, wait_ms: waitOf(wait_ms) })
    },
    ...FLOW_ANSWER,
  }),
  endpoint({
    ...IN_RUN,
    at: 'POST /api/v1/flows/consents/{consent_id}/revoke',
    says: 'Revoke a flow consent',
    body: fields({ etag: text }),
    answers: ConsentMintAnswer,
    run: (caller, asked) => revokeFlowConsent(k, caller, bodyOf(asked)),
    ...FLOW_ANSWER,
  }),
  endpoint({
    at: 'GET /api/v1/flows/{flow_id}',
    access: CALLERS,
    says: 'One flow with its steps',
    query: ['version', 'session', 'vault_id'],
    answers: FlowWithStepsAnswer,
    run(caller, { params, query: { version, vault_id } }) {
      const { flow_id } = params
      return readFlow(k, caller, { flow_id, ...vaultIn({ vault_id }), ...(version === undefined ? {} : { version }) })
    },
    ...FLOW_ANSWER,
  }),
  ...proposalEndpoints(k),
]

const vaultIn = ({ vault_id }: { readonly vault_id?: string | undefined }): { readonly vault_id?: string } =>
  vault_id === undefined ? {} : { vault_id }

const waitOf = (value: Json | undefined): number =>
  typeof value === 'string' && /^\d{1,6}$/.test(value) ? Math.min(Number(value), WAIT_MS) : WAIT_MS

type InFlow = { readonly params: object } & Pick<EndpointInput, 'queries' | 'body' | 'header'>

/** The query and path parameters as fields of the request. A field that is given twice is rejected by its use case. */
function queryOf({ params, queries }: Pick<InFlow, 'params' | 'queries'>): JsonObject {
  const others = Object.entries(queries).filter(
    ([name, values]) => name !== 'session' || !values.every(isThreadName) || values.length > 1,
  )
  const asked = others.map(([name, values]) => [
    Object.hasOwn(params, name) ? `${name} in the query` : name,
    values.length === 1 ? (values[0] ?? '') : values,
  ])
  return { ...(Object.fromEntries(asked) as JsonObject), ...(params as JsonObject) }
}

/** The body with the query, the parts of the path and `If-Match`. */
function bodyOf(asked: InFlow): JsonObject {
  const given = asked.body as Json
  // A body that is not an object is rejected by its use case.
  if (!isJsonObject(given)) return { 'the body is not an object': true }
  const clash = Object.entries(asked.params).find(([part, value]) => given[part] !== undefined && given[part] !== value)
  const etag = asked.header('if-match')
  return {
    ...given,
    ...queryOf(asked),
    ...(clash === undefined ? {} : { [`${clash[0]} in the body`]: true }),
    ...(etag === undefined ? {} : { etag }),
  }
}

function withEtag(status: number, value: object): Response {
  const response = jsonResponse(status, value)
  const { run } = value as { readonly run?: { readonly etag?: string } }
  if (run?.etag !== undefined) response.headers.set('etag', `"${run.etag}"`)
  return response
}
