import type { Caller } from '../../kernel/contract/caller.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { FlowExecutionRecord, FlowRunRow } from './flow-rows.ts'
import {
  FLOW_SCHEMAS,
  type ExecutionView,
  type FlowRunView,
  type FlowSettings,
  type FlowStep,
  type SkillRef,
} from './flows.ts'
import { type RunId } from '../../kernel/contract/ids.ts'
import { FlowConsentId, type ExecutionId } from './ids.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { isEndedRun } from '../../kernel/contract/run.ts'
import { actorHash } from './actor-hash.ts'
import { executeRequest, type ExecuteRequest } from './flow-requests.ts'
import type { FlowPolicy } from './flow-policy.ts'
import { newExecution } from './execution-state.ts'
import { flowExecution } from './execution-step.ts'
import { executable, inProgress, withRecord } from './run-moves.ts'
import { beginRun } from '../../kernel/runs/begin-run.ts'
import type { Intake } from '../../kernel/attempt/intake.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { asItStands, expectsKey } from '../../kernel/identity/standing-grants.ts'
import type { AgentModels } from '../models/api.ts'
import { newRunChanges } from '../../kernel/runs/run-changes.ts'
import { waitForRun, type WaitForRunPorts } from '../../kernel/runs/wait-for-run.ts'
import {
  accountOf,
  auditFlow,
  checkEtag,
  gated,
  isoOf,
  stepsOf,
  swapFlow,
  changeableRun,
  visibleRun,
  withHistory,
  type Did,
  type FlowPorts,
  type HeldConsent,
  type HeldRun,
} from './flow-access.ts'
import { executionView, runView } from './flow-views.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'
import type { LiveCatalogue } from '../../kernel/catalogue/catalogue.ts'
import { refuse } from './problems.ts'

export type ExecuteFlowPorts = FlowPorts &
  SkillPorts &
  WaitForRunPorts & { readonly models: Pick<AgentModels, 'hasLane'>; readonly intake: Intake }

export type ExecuteAnswer = { readonly schema: string; readonly run: FlowRunView; readonly execution: ExecutionView }
export type ExecuteMore = { readonly wait_ms?: number; readonly trace?: string }

const WAIT_MS = 60_000
const TRIES = 20

/**
 * Lets an agent carry out one step under a consent. The same run, step and consent are the same execution, however often and from
 * wherever it is requested. Waits for its end.
 */
export async function executeFlowStep(
  deps: ExecuteFlowPorts,
  caller: Caller,
  body: Json | undefined,
  { wait_ms = WAIT_MS, trace = deps.ids.trace() }: ExecuteMore = {},
): Promise<Result<ExecuteAnswer>> {
  const open = await gated(deps, 'execution')
  if (!open.ok) return open
  const asked = executeRequest(body)
  if (!asked.ok) return asked
  const closed = deps.intake.closedBy()
  if (closed !== undefined) return { ok: false, problem: closed }
  const begun = await beginExecution(deps, caller, open.value, asked.value, trace)
  if (!begun.ok || asked.value.dry_run) return begun.ok ? answerOf(begun.value.held, begun.value.record) : begun
  const { driven_by, execution_id } = begun.value.record
  await waitForRun(
    deps,
    driven_by,
    wait_ms,
    async () => (await deps.tables.row('runs', driven_by))?.row,
    (run) => run === undefined || isEndedRun(run) || run.status === 'faulted',
  )
  const held = await visibleRun(deps, caller, asked.value)
  if (!held.ok) return held
  const record = held.value.row.executions.find((one) => one.execution_id === execution_id)
  return answerOf(held.value, record ?? begun.value.record)
}

const answerOf = (held: HeldRun, record: FlowExecutionRecord): Result<ExecuteAnswer> =>
  ok({ schema: FLOW_SCHEMAS.execute, run: runView(held), execution: executionView(record) })

type Begun = { readonly held: HeldRun; readonly record: FlowExecutionRecord }

/** All checks in order, then the record of the execution, its first unit and its run in one commit. */
async function beginExecution(
  deps: ExecuteFlowPorts,
  caller: Caller,
  policy: FlowPolicy,
  asked: ExecuteRequest,
  trace: string,
): Promise<Result<Begun>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await changeableRun(deps, caller, asked)
    if (!held.ok) return held
    const consent = await consentFor(deps, caller, held.value.row, asked)
    if (!consent.ok) return consent
    const lane = laneOf(deps, policy, consent.value, asked.model_lane)
    if (!lane.ok) return lane
    const execution_id = executionOf(deps, asked)
    const known = held.value.row.executions.find((one) => one.execution_id === execution_id)
    const left = (await deps.accounts.left(accountOf(asked.consent_id))) ?? 0
    if (known === undefined && left < 1) {
      // The last unit may have been taken for this same execution after the run was read.
      const now = await visibleRun(deps, caller, asked)
      if (now.ok && now.value.version !== held.value.version) continue
      return refuse('FLOW_EXECUTION_COST_CAPPED', { consent_id: asked.consent_id })
    }
    const step = (await stepsOf(deps, held.value.row)).find((one) => one.step_id === asked.step_id)
    const ready = executable(held.value.row, step, asked.step_id)
    if (!ready.ok) return ready
    const skills = skillsOf(deps, ready.value)
    if (!skills.ok) return skills
    const same = checkEtag(asked.etag, held.value.version)
    if (!same.ok) return same
    if (asked.dry_run) return ok({ held: held.value, record: dryRecord(deps, caller, asked) })
    if (known !== undefined) return ok({ held: held.value, record: known })
    const record = newRecord(deps, caller, asked, execution_id)
    const state = newExecution({
      execution_id,
      flow_run_id: asked.run_id,
      consent_id: consent.value.row.consent_id,
      step: ready.value,
      lane: asked.model_lane,
      caller: caller as unknown as JsonObject,
      trace,
      ...skills.value,
    })
    const committed = await recordExecution(deps, caller, held.value, record, state, consent.value)
    if (committed === 'lost') continue
    return committed
  }
  return refuse('audit.unavailable')
}

async function recordExecution(
  deps: ExecuteFlowPorts,
  caller: Caller,
  held: HeldRun,
  record: FlowExecutionRecord,
  state: ReturnType<typeof newExecution>,
  consent: HeldConsent,
): Promise<Result<Begun> | 'lost'> {
  const now = deps.clock()
  const { run_id, flow_id, flow_version } = held.row
  const run = beginRun(flowExecution, record.driven_by, { state }, now, {
    owner: callerIdentity(caller),
    thread: run_id,
    document: `${flow_id}@${flow_version}`,
  })
  const about = { execution: record.execution_id, consent: record.consent_id, lane: record.model_lane }
  const { step_id } = record
  const did: Did = { by: caller, type: 'flow.execution_started', did: 'execute', step_id, about, trace: state.trace }
  const row = withHistory(withRecord(held.row, record), did, now)
  const recorded = await deps.ledger.commit([
    swapFlow(row, run_id, held.version),
    { kind: 'expect', table: 'flow_consents', id: record.consent_id, version: consent.version },
    ...expectsKey(consent.key),
    { kind: 'spend', account: accountOf(record.consent_id), units: 1 },
    ...newRunChanges(run, { type: 'flow.started' }),
    auditFlow(deps, row, did, now),
  ])
  if (recorded === 'committed') return ok({ held: { row, version: held.version + 1 }, record })
  return isUnrecorded(recorded) ? refuseUnrecorded(recorded) : 'lost'
}

/** A consent that is another person's, revoked, expired or missing gives the same answer. */
async function consentFor(
  deps: ExecuteFlowPorts,
  caller: Caller,
  run: FlowRunRow,
  { consent_id }: ExecuteRequest,
): Promise<Result<HeldConsent>> {
  const running = inProgress(run)
  if (!running.ok) return running
  const held = FlowConsentId.safeParse(consent_id).success
    ? await deps.tables.row('flow_consents', consent_id)
    : undefined
  if (held === undefined || held.row.actor_hash !== actorHash(deps.digest, caller))
    return refuse('FLOW_EXECUTION_CONSENT_REQUIRED')
  if (held.row.run_id !== run.run_id) return refuse('FLOW_EXECUTION_CONSENT_RUN_MISMATCH')
  const standing = await asItStands(deps.tables, held.row)
  const isOver = standing.row.revoked_at !== undefined || deps.clock() >= standing.row.expires_at
  return isOver ? refuse('FLOW_EXECUTION_CONSENT_REQUIRED') : ok({ ...standing, version: held.version })
}

/** A lane that the consent permits, the policy still permits, and whose model is available. */
function laneOf({ models }: ExecuteFlowPorts, policy: FlowPolicy, { row }: HeldConsent, lane: string): Result<string> {
  const isPermitted = row.allowed_lanes.includes(lane) && policy.allowed_lanes.includes(lane) && models.hasLane(lane)
  return isPermitted ? ok(lane) : refuse('FLOW_EXECUTION_LANE_DENIED', { lane })
}

/** The same on every node. */
const executionOf = (
  { digest }: Pick<FlowPorts, 'digest'>,
  { run_id, step_id, consent_id }: Pick<ExecuteRequest, 'run_id' | 'step_id' | 'consent_id'>,
): ExecutionId => `fexec_${digest(JSON.stringify(['flow-execution', run_id, step_id, consent_id])).slice(0, 24)}`

const drivenBy = ({ digest }: Pick<FlowPorts, 'digest'>, execution_id: ExecutionId): RunId =>
  `run_${digest(execution_id).slice(0, 16)}`

function newRecord(
  deps: ExecuteFlowPorts,
  caller: Caller,
  { step_id, consent_id, model_lane }: ExecuteRequest,
  execution_id: ExecutionId,
): FlowExecutionRecord {
  return {
    execution_id,
    step_id,
    consent_id: FlowConsentId.parse(consent_id),
    driven_by: drivenBy(deps, execution_id),
    status: 'running',
    evidence_ref: null,
    cost_units: 0,
    reserved_units: 1,
    reserved_for: 0,
    settled_for: 0,
    model_lane,
    by: caller.id,
    started_at: isoOf(deps.clock()),
    completed_at: null,
    reason: null,
  }
}

/** A dry run makes every check. It has an id of its own; nothing is stored and nothing is spent. */
function dryRecord(deps: ExecuteFlowPorts, caller: Caller, asked: ExecuteRequest): FlowExecutionRecord {
  const record = newRecord(deps, caller, asked, `fexec_${deps.ids.hex(12)}`)
  return { ...record, status: 'completed', reserved_units: 0, completed_at: record.started_at }
}

type SkillPorts = {
  readonly flowSettings: FlowSettings
  readonly judgement: Pick<Judgement, 'servers'>
  readonly catalogue: Pick<LiveCatalogue, 'tool'>
}

/** What a step's execution may use: tools by their ids, and prompts of connected servers. */
type Skills = { readonly tools: readonly string[]; readonly prompt_ids: readonly string[] }

/**
 * The tools and prompts behind a step's skills.
 * INVARIANT: only what the step refers to. Whether its caller may call them is decided by the gate, at each call.
 */
function skillsOf(deps: SkillPorts, { step_id, skill_refs }: FlowStep): Result<Skills> {
  const tools = new Set<string>()
  const prompt_ids = new Set<string>()
  const forbidden = (because: string) => refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { step_id, because })
  for (const ref of skill_refs) {
    if (ref.kind === 'external_tool') return forbidden('the step refers to an external tool')
    if (ref.kind === 'mcp_prompt') {
      prompt_ids.add(ref.id)
      continue
    }
    const ids = toolsOf(deps, ref)
    if (ids === undefined) return forbidden(`there is no ${ref.kind} \`${ref.id}\``)
    for (const id of ids) {
      if (deps.catalogue.tool(id) === undefined) return forbidden(`there is no tool \`${id}\``)
      tools.add(id)
    }
  }
  if (tools.size + prompt_ids.size === 0) return forbidden('the step refers to no skill')
  return ok({ tools: [...tools], prompt_ids: [...prompt_ids] })
}

/** A pack is a list in the configuration; a `cli` is a declared command, by its tool id. */
function toolsOf({ flowSettings, judgement }: SkillPorts, { kind, id }: SkillRef): readonly string[] | undefined {
  const { skill_packs } = flowSettings
  if (kind === 'skill_pack') return Object.hasOwn(skill_packs, id) ? skill_packs[id] : undefined
  const server = id.split('__')[0] ?? ''
  const settings = Object.hasOwn(judgement.servers, server) ? judgement.servers[server] : undefined
  return settings !== undefined && 'commands' in settings && settings.commands !== undefined ? [id] : undefined
}
