import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import {
  DEFAULT_HARNESS,
  FLOW_LIMITS,
  FlowId,
  FlowRunStatus,
  FlowVersion,
  PointerKind,
  SkipReason,
  StepId,
  StepStatus,
} from './flows.ts'
import { DEFAULT_LANE } from '../../kernel/contract/models.ts'
import { RunId } from '../../kernel/contract/ids.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'

/** Request bodies of all doors. Names in camelCase count as snake_case; all strings are trimmed; unknown names are rejected. */

type Fields = Readonly<Record<string, Json>>
type Shared = { readonly etag?: string; readonly vault_id?: string }

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function fieldsIn(body: Json | undefined, known: readonly string[], message: string): Result<Fields> {
  if (body === undefined || !isJsonObject(body)) return bad(message)
  const fields: Record<string, Json> = {}
  for (const [given, value] of Object.entries(body)) {
    const name = snake(given)
    const isTaken = Object.hasOwn(fields, name)
    if (isTaken || !(known.includes(name) || SHARED.includes(name))) return bad(`${message}: unknown field ${given}`)
    // Null is the same as not given.
    if (value !== null) fields[name] = typeof value === 'string' ? value.trim() : value
  }
  const { etag, vault_id } = fields
  if ([etag, vault_id].some((value) => value !== undefined && typeof value !== 'string')) return bad(message)
  return ok(fields)
}

const SHARED = ['etag', 'vault_id']

const sharedIn = ({ etag, vault_id }: Fields): Shared => ({
  ...(typeof etag === 'string' ? { etag } : {}),
  ...(typeof vault_id === 'string' ? { vault_id } : {}),
})

const isRunId = (value: Json | undefined): value is RunId => RunId.safeParse(value).success
const isText = (value: Json | undefined, most: number = FLOW_LIMITS.short): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most

export type StartRequest = Shared & {
  readonly flow_id: string
  readonly version?: string
  readonly harness: string
  readonly task_ref: string | null
  readonly external_ref: string | null
}

export function startRequest(body: Json | undefined): Result<StartRequest> {
  const known = ['flow_id', 'version', 'flow_version', 'harness', 'task_ref', 'external_ref']
  const read = fieldsIn(body, known, 'Invalid start request')
  if (!read.ok) return read
  const { flow_id, version, flow_version = version, harness = DEFAULT_HARNESS, task_ref, external_ref } = read.value
  if (typeof flow_id !== 'string' || !FlowId.safeParse(flow_id).success) return bad('Invalid flow id')
  const isVersion = typeof flow_version === 'string' && FlowVersion.safeParse(flow_version).success
  if (flow_version !== undefined && !isVersion) return bad('Invalid flow version')
  if (version !== undefined && version !== flow_version) return bad('Invalid flow version')
  if (!isText(harness, 64)) return bad('Invalid start request: harness')
  if (![task_ref, external_ref].every((text) => text === undefined || isText(text)))
    return bad('Invalid start request: task_ref and external_ref must be strings')
  return ok({
    ...sharedIn(read.value),
    flow_id,
    ...(typeof flow_version === 'string' ? { version: flow_version } : {}),
    harness,
    task_ref: typeof task_ref === 'string' ? task_ref : null,
    external_ref: typeof external_ref === 'string' ? external_ref : null,
  })
}

export type RunRequest = Shared & { readonly run_id: RunId }

export function runRequest(body: Json | undefined, message = 'Invalid get request'): Result<RunRequest> {
  const read = fieldsIn(body, ['run_id'], message)
  if (!read.ok) return read
  const { run_id } = read.value
  return isRunId(run_id) ? ok({ ...sharedIn(read.value), run_id }) : bad('Invalid run id')
}

export type ListRequest = Shared & {
  readonly flow_id?: string
  readonly status?: FlowRunStatus
  readonly cursor?: number
  readonly limit: number
}

const MOST_LISTED = 200

export function listRequest(body: Json | undefined): Result<ListRequest> {
  const read = fieldsIn(body ?? {}, ['flow_id', 'status', 'cursor', 'limit'], 'Invalid list request')
  if (!read.ok) return read
  const { flow_id, status, cursor, limit } = read.value
  if (flow_id !== undefined && !FlowId.safeParse(flow_id).success) return bad('Invalid flow id')
  const wanted = status === undefined ? undefined : FlowRunStatus.safeParse(status).data
  if (status !== undefined && wanted === undefined)
    return bad(`Invalid list request: status must be ${FlowRunStatus.options.join(', ')}`)
  const after = cursor === undefined ? undefined : wholeIn(cursor)
  if (cursor !== undefined && after === undefined)
    return bad('Invalid list request: cursor must be the `next_cursor` of a page')
  const most = limit === undefined ? 50 : wholeIn(limit)
  if (most === undefined || most < 1) return bad('Invalid list request: limit must be a positive integer')
  return ok({
    ...sharedIn(read.value),
    ...(typeof flow_id === 'string' ? { flow_id } : {}),
    ...(wanted === undefined ? {} : { status: wanted }),
    ...(after === undefined ? {} : { cursor: after }),
    limit: Math.min(most, MOST_LISTED),
  })
}

/** Numbers may also arrive as digits in a query string. */
function wholeIn(value: Json): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

export type AdvanceRequest = RunRequest & {
  readonly step_id: string
  readonly status: Exclude<StepStatus, 'pending'>
  readonly skip_reason: SkipReason | null
}

export function advanceRequest(body: Json | undefined): Result<AdvanceRequest> {
  const message = 'Invalid advance request'
  const read = fieldsIn(body, ['run_id', 'step_id', 'status', 'skip_reason'], message)
  if (!read.ok) return bad(message)
  const { run_id, step_id, status: wanted, skip_reason } = read.value
  if (run_id === undefined || step_id === undefined || wanted === undefined) return bad(message)
  if (!isRunId(run_id)) return bad('Invalid run id')
  const status = StepStatus.safeParse(wanted).data
  if (status === undefined || status === 'pending') return bad(message)
  if (typeof step_id !== 'string') return bad(message)
  if (!StepId.safeParse(step_id).success) return bad('Unknown step')
  const reason = SkipReason.safeParse(skip_reason).data ?? null
  if (status === 'skipped' && reason === null) return bad('skip_reason required for skipped status')
  return ok({ ...sharedIn(read.value), run_id, step_id, status, skip_reason: reason })
}

export type EvidenceRequest = RunRequest & {
  readonly step_id: string
  readonly evidence_ref: string
  readonly pointer_kind: PointerKind
}

export function evidenceRequest(body: Json | undefined): Result<EvidenceRequest> {
  const message = 'Invalid evidence request'
  const read = fieldsIn(body, ['run_id', 'step_id', 'evidence_ref', 'pointer_kind'], message)
  if (!read.ok) return bad(message)
  const { run_id, step_id, evidence_ref, pointer_kind: given } = read.value
  const pointer_kind = PointerKind.safeParse(given).data
  if (run_id === undefined || pointer_kind === undefined || !isText(evidence_ref, 200)) return bad(message)
  if (!isRunId(run_id)) return bad('Invalid run id')
  if (typeof step_id !== 'string') return bad(message)
  if (!StepId.safeParse(step_id).success) return bad('Unknown step')
  return ok({ ...sharedIn(read.value), run_id, step_id, evidence_ref, pointer_kind })
}

export type MintRequest = RunRequest & {
  readonly allowed_lanes: readonly string[]
  readonly cost_cap_units?: number
  readonly ttl_seconds?: number
}

const isPositive = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0

export function mintRequest(body: Json | undefined): Result<MintRequest> {
  const known = ['run_id', 'allowed_lanes', 'cost_cap_units', 'ttl_seconds']
  const read = fieldsIn(body, known, 'Invalid consent request')
  if (!read.ok) return read
  const { run_id, allowed_lanes, cost_cap_units, ttl_seconds } = read.value
  if (!isRunId(run_id)) return bad('Invalid run id')
  const lanes = lanesIn(allowed_lanes)
  if (lanes === undefined) return bad('allowed_lanes must be non-empty')
  if (cost_cap_units !== undefined && !isPositive(cost_cap_units))
    return bad('cost_cap_units must be a positive integer')
  if (ttl_seconds !== undefined && !isPositive(ttl_seconds)) return bad('ttl_seconds must be a positive integer')
  return ok({
    ...sharedIn(read.value),
    run_id,
    allowed_lanes: lanes,
    ...(cost_cap_units === undefined ? {} : { cost_cap_units }),
    ...(ttl_seconds === undefined ? {} : { ttl_seconds }),
  })
}

function lanesIn(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const lanes = (value as readonly Json[]).map((lane) => (typeof lane === 'string' ? lane.trim() : ''))
  const isSound = lanes.length > 0 && lanes.length <= 64 && lanes.every((lane) => lane !== '' && lane.length <= 64)
  return isSound ? [...new Set(lanes)] : undefined
}

export type RevokeRequest = Shared & { readonly consent_id: string; readonly run_id?: RunId }

export function revokeRequest(body: Json | undefined): Result<RevokeRequest> {
  const message = 'Invalid consent request'
  const read = fieldsIn(body, ['consent_id', 'run_id'], message)
  if (!read.ok) return read
  const { consent_id, run_id } = read.value
  if (!isText(consent_id)) return bad(`${message}: consent_id is required`)
  if (run_id !== undefined && !isRunId(run_id)) return bad('Invalid run id')
  return ok({ ...sharedIn(read.value), consent_id, ...(run_id === undefined ? {} : { run_id }) })
}

export type ExecuteRequest = RunRequest & {
  readonly step_id: string
  readonly consent_id: string
  readonly model_lane: string
  readonly dry_run: boolean
}

export function executeRequest(body: Json | undefined): Result<ExecuteRequest> {
  const known = ['run_id', 'step_id', 'consent_id', 'model_lane', 'lane', 'dry_run']
  const read = fieldsIn(body, known, 'Invalid execute request')
  if (!read.ok) return read
  const { run_id, step_id, consent_id, lane, model_lane = lane ?? DEFAULT_LANE, dry_run = false } = read.value
  if (!isText(run_id) || !isText(step_id) || !isText(consent_id))
    return bad('run_id, step_id, and consent_id are required')
  if (!isRunId(run_id)) return bad('Invalid run id')
  if (!StepId.safeParse(step_id).success) return bad('Unknown step')
  if (!isText(model_lane, 64)) return bad('Invalid execute request: model_lane')
  if (typeof dry_run !== 'boolean') return bad('Invalid execute request: dry_run')
  return ok({ ...sharedIn(read.value), run_id, step_id, consent_id, model_lane, dry_run })
}

export type ReviewRequest = RunRequest & { readonly intent: string; readonly step_id?: string }

const LONGEST_INTENT = 4_000

export function reviewRequest(body: Json | undefined): Result<ReviewRequest> {
  const read = fieldsIn(body, ['run_id', 'intent', 'step_id'], 'Invalid review request')
  if (!read.ok) return read
  const { run_id, intent, step_id } = read.value
  if (!isText(run_id) || !isText(intent, LONGEST_INTENT)) return bad('run_id and intent are required')
  if (!isRunId(run_id)) return bad('Invalid run id')
  const isStep = typeof step_id === 'string' && StepId.safeParse(step_id).success
  if (step_id !== undefined && !isStep) return bad('Unknown step')
  return ok({ ...sharedIn(read.value), run_id, intent, ...(typeof step_id === 'string' ? { step_id } : {}) })
}

export type AbandonRequest = RunRequest & { readonly reason: string | null }

export function abandonRequest(body: Json | undefined): Result<AbandonRequest> {
  const read = fieldsIn(body, ['run_id', 'reason'], 'Invalid abandon request')
  if (!read.ok) return read
  const { run_id, reason } = read.value
  if (!isRunId(run_id)) return bad('Invalid run id')
  if (reason !== undefined && !isText(reason, 500)) return bad('Invalid abandon request: reason')
  return ok({ ...sharedIn(read.value), run_id, reason: reason ?? null })
}

/** The action named in the body of a request, as the MCP tool does, and the rest of that body. */
export function actionIn(body: Json): { readonly action: string; readonly rest: JsonObject } | undefined {
  if (!isJsonObject(body)) return undefined
  const { action, ...rest } = body
  return typeof action === 'string' ? { action: action.trim(), rest } : undefined
}
