import type { Caller } from '../../kernel/contract/caller.ts'
import type { CallRow } from '../../kernel/contract/call.ts'
import type { FlowRunRow } from './flow-rows.ts'
import type { FlowStep, PointerKind, VerificationKind } from './flows.ts'
import { CallId, RunId } from '../../kernel/contract/ids.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { expectedValues } from './expected-values.ts'
import { isRunOf } from './may-change-run.ts'
import { hasExecuted } from '../toolflow/api.ts'
import { artifactPart } from '../../kernel/artifacts/read-artifact.ts'
import { maySeeCall } from '../../kernel/attempt/read-call.ts'
import type { Artifacts } from '../../kernel/ports/artifacts.ts'
import { maySeeRun, ownedRun, ownerOf, type CallersOfKinds } from '../../kernel/runs/may-see-run.ts'
import { visibilityOf, sees, type FlowPorts } from './flow-access.ts'
import { refuse } from './problems.ts'

export type EvidencePorts = FlowPorts & { readonly artifacts: Artifacts; readonly kinds: CallersOfKinds }

type Pointer = { readonly pointer_kind: PointerKind; readonly evidence_ref: string }

/** Which pointers can verify which kind of step. A human review is verified only by its own approved proposal. */
const FITS: Readonly<Record<VerificationKind, readonly PointerKind[]>> = {
  artifact_exists: ['artifact', 'hash'],
  value_match: ['artifact', 'hash'],
  test_pass: ['test_result'],
  agent_check: ['artifact', 'hash', 'test_result', 'proposal'],
  human_review: [],
}

const MOST_READ = 1_000_000

/**
 * Resolves a pointer. One that leads nowhere, or to something that the caller may not see, is rejected; one that does not fit the
 * step is kept without verifying it.
 */
export async function checkEvidence(
  deps: EvidencePorts,
  caller: Caller,
  run: FlowRunRow,
  step: FlowStep,
  pointer: Pointer,
): Promise<Result<{ readonly verified: boolean }>> {
  const nowhere = refuse('FLOW_VERIFICATION_UNSATISFIED', { step_id: step.step_id, pointer_kind: pointer.pointer_kind })
  const { kind } = step.verification
  const isFitting = FITS[kind].includes(pointer.pointer_kind)
  switch (pointer.pointer_kind) {
    case 'artifact':
    case 'hash': {
      const text = await artifactText(deps, caller, pointer)
      if (text === undefined) return nowhere
      const isMatch = kind !== 'value_match' || expectedValues(step).every((value) => text.includes(value))
      return ok({ verified: isFitting && isMatch })
    }
    case 'test_result':
      return (await isPassingRun(deps, caller, run, pointer.evidence_ref)) ? ok({ verified: isFitting }) : nowhere
    default: {
      const approved = await approvedProposal(deps, caller, run.vault_id, pointer.evidence_ref)
      if (!approved.ok) return approved
      if (approved.value === undefined) return nowhere
      const isOwnReview = approved.value.run_id === run.run_id && approved.value.step_id === step.step_id
      return ok({ verified: kind === 'human_review' ? isOwnReview : isFitting })
    }
  }
}

const ARTIFACT = /^(?:artifact:\/\/)?([0-9a-f]{64})$/
const HASH = /^(?:sha256:)?([0-9a-f]{64})$/

/** Only artifacts that the caller may read. The text is read, so that one whose contents were deleted does not count. */
async function artifactText(
  deps: EvidencePorts,
  caller: Caller,
  { pointer_kind, evidence_ref }: Pointer,
): Promise<string | undefined> {
  const digest = (pointer_kind === 'artifact' ? ARTIFACT : HASH).exec(evidence_ref)?.[1]
  const read = digest === undefined ? undefined : await artifactPart(deps, caller, digest, 0, MOST_READ)
  return read?.ok === true ? read.value.text : undefined
}

/**
 * A call that was executed without an error, or a toolflow, an execution or a flow run that succeeded, made for this run: by one of its
 * executions, or by its person or this caller in the session that has the run's id; a flow run of the same person names it as its task.
 */
async function isPassingRun(deps: EvidencePorts, caller: Caller, of: FlowRunRow, ref: string): Promise<boolean> {
  const isMadeFor = (run_id: string | undefined, thread: string | undefined, user: string, at: number): boolean =>
    of.executions.some(({ driven_by }) => driven_by === run_id) ||
    (thread === of.run_id &&
      at >= Date.parse(of.started) &&
      (user === caller.user || isRunOf(deps.digest, { user }, of)))
  if (CallId.safeParse(ref).success) {
    const call = (await deps.tables.row('calls', ref))?.row
    if (call === undefined || !maySeeCall(caller, call) || !isPassed(call)) return false
    return isMadeFor(call.by_run?.run_id, call.thread, call.caller.user, call.received_at)
  }
  if (!RunId.safeParse(ref).success) return false
  const visibility = visibilityOf(deps, caller, of.vault_id)
  const flow = (await deps.tables.row('flows', ref))?.row
  if (flow?.is === 'run') {
    const isForThis = flow.task_ref === of.run_id && flow.provenance.actor === of.provenance.actor
    return visibility.ok && sees(visibility.value, flow) && flow.status === 'done' && isForThis
  }
  const run = (await deps.tables.row('runs', ref))?.row
  if (run === undefined || !maySeeRun(caller, ownedRun(deps.kinds, run)) || run.status !== 'done') return false
  if (!isMadeFor(run.run_id, run.thread, ownerOf(run)?.user ?? '', run.created_at)) return false
  if (run.kind === 'flow-execution') return true
  return hasExecuted(run)
}

const isPassed = ({ state, result }: CallRow): boolean => state === 'executed' && result?.isError !== true

async function approvedProposal(
  deps: EvidencePorts,
  caller: Caller,
  vault: string,
  ref: string,
): Promise<Result<{ readonly run_id: string; readonly step_id: string | null } | undefined>> {
  const visibility = visibilityOf(deps, caller, vault)
  if (!visibility.ok) return visibility
  try {
    const row = (await deps.tables.row('flows', ref))?.row
    if (row?.is !== 'proposal' || row.state !== 'approved' || !sees(visibility.value, row)) return ok(undefined)
    return ok({ run_id: row.body.run_id, step_id: row.step_id })
  } catch {
    return refuse('RUNTIME_ERROR')
  }
}
