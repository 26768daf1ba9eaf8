import type { ApprovalRow } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import type { Call, CallRow } from '../contract/call.ts'
import type { Json } from '../contract/json.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import type { RiskClass, Tool } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'
import { strongWhereHidden } from './hidden-places.ts'
import { mayDecide } from './may-decide.ts'
import { seatsFor } from './routes/seats.ts'
import { markEdited } from './transitions.ts'
import { decide } from '../decide/decide.ts'
import { identityOf, auditOf, blockedProblem, requestOf, routeIn } from '../attempt/call-changes.ts'
import { freesAt } from '../decide/judge-budget.ts'
import type { Policy } from '../policy/policy.ts'
import { judgedOf } from '../policy/recorded-call.ts'
import { approvalMoved, heldCallOf } from '../attempt/close-call.ts'
import { bytesOf, movedChanges } from './pending-limits.ts'
import { gatherSeen } from '../attempt/gather-facts.ts'
import { lookAlikeRecipients, type RecipientDeps } from '../attempt/look-alike-recipients.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored } from '../ports/reads.ts'
import { showRequest } from './show-request.ts'
import { expectsDelegation, mayBeAsked } from './asked-people.ts'
import { refuseIfFromNode, refuseIfHubDecides, type HubDecidesPorts } from './hub-decides.ts'
import { packetOf } from './packet-of.ts'
import type { ApprovalReadPorts } from './read-approvals.ts'
import { prepareCall, type PrepareDeps } from '../attempt/prepare-call.ts'
import { previewCall, previewIn, type PreviewDeps } from '../attempt/preview-call.ts'
import { refuseDecision } from './end-approval.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { FactsPorts } from '../decide/judging.ts'

export type JudgeEditPorts = PrepareDeps &
  ApprovalReadPorts &
  FactsPorts &
  HubDecidesPorts &
  RecipientDeps & { readonly policy: () => Policy }

export type EditPorts = JudgeEditPorts &
  PreviewDeps & {
    readonly ledger: Ledger
    readonly holdFor: (verdict: Verdict, risk: RiskClass) => number
  }

/** The packet in which the inputs were edited. */
export type ShownAs = { readonly digest?: string; readonly version?: number }

/** How the gate judges other inputs of a request. Nothing is recorded. */
export async function judgeEdit(deps: JudgeEditPorts, by: Caller, approval_id: string, args: Json) {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined) return refuse('approval.unknown', { approval_id })
  const elsewhere = refuseIfHubDecides(deps, held.row) ?? refuseIfFromNode(held.row)
  if (elsewhere !== undefined) return elsewhere
  const approver = await mayBeAsked(deps, by, held.row)
  if (!approver.ok) return approver
  // With other arguments it would be another call, and the first attempt would be forgotten.
  if (held.row.retries !== undefined) return refuse('approval.not_editable', { approval_id })
  const replaced = markEdited(held.row, by, deps.ids.approval(), deps.clock(), approver.value.asked)
  if (!replaced.ok) return replaced
  const call = await heldCallOf(deps.tables, held.row)
  const { caller, tool_id: tool, thread, trace, by_run } = call.row
  const corrected = { caller, tool, args, thread, trace, ...(by_run === undefined ? {} : { by_run }) }
  const prepared = await prepareCall(deps, corrected, corrected.thread)
  if (!prepared.ok) return prepared
  const edited: Call = { ...prepared.value.call, call_id: call.row.call_id, received_at: call.row.received_at }
  const moment = { integrity: 'intact', asked_earlier: true } as const
  const { facts, seen } = await gatherSeen(deps, edited, prepared.value.tool, moment)
  const policy = deps.policy()
  const verdict = decide(policy, edited, facts, deps.judgement.deciders)
  return ok({
    approver: approver.value,
    held,
    replaced: replaced.value,
    call,
    prepared: prepared.value,
    edited,
    facts,
    seen,
    policy,
    verdict,
  })
}

/**
 * An approver edits the inputs. The gate judges the new arguments as if the caller had sent them; the old request is replaced by
 * a new one with the new hash, which still needs a decision. A block changes nothing.
 */
export async function editApproval(
  deps: EditPorts,
  by: Caller,
  approval_id: string,
  args: Json,
  shownAs: ShownAs = {},
): Promise<Result<ApprovalRow>> {
  const judgedEdit = await judgeEdit(deps, by, approval_id, args)
  if (!judgedEdit.ok) return refuseDecision(deps, await deps.tables.row('approvals', approval_id), judgedEdit.problem)
  const { approver, held, replaced, call, prepared, edited, facts, seen, policy, verdict } = judgedEdit.value
  const isShown =
    (shownAs.version ?? held.version) === held.version &&
    (shownAs.digest === undefined || shownAs.digest === (await packetOf(deps, held)).digest)
  if (!isShown) return refuse('approval.changed', { approval_id })
  if (verdict.effect === 'block') return { ok: false, problem: blockedProblem(verdict, freesAt(facts.budgets)) }
  const asked = { verdict: asking(verdict), facts, seen }
  const preview = await previewCall(deps, edited, prepared.tool, asked, undefined)
  if (preview.is === 'overtaken') return refuse('audit.unavailable')
  if (preview.is === 'stopped') return { ok: false, problem: preview.problem }
  const shown = previewIn(preview)
  const parts = { ...edited, ...shown, edited_from: held.row.canonical_args }
  const packet = await showRequest(deps, parts)
  const shownVerdict = strongWhereHidden(asked.verdict, packet.hidden, facts.now)
  const judged = { verdict: shownVerdict, policy_version: policy.version, judged: judgedOf(facts) }
  const row = editedRow(deps, call.row, edited, prepared.tool, judged, replaced)
  const look_alikes = await lookAlikeRecipients(deps, edited, packet.args)
  const request = newRequest(deps, row, held.row, {
    ...shown,
    shown: packet,
    ...(look_alikes.length === 0 ? {} : { look_alikes }),
  })
  const recorded = await deps.ledger.commit([
    ...expectsDelegation(by.user, seatsFor(by.user, approver.asked)[0], approver.substitute),
    ...editChanges(held, replaced, request, call, row, by),
  ])
  if (recorded === 'committed') return ok(request)
  return isUnrecorded(recorded) ? refuseUnrecorded(recorded) : refuse('approval.not_pending', { approval_id })
}

/** It stays a request: even inputs that would have been allowed wait for the approver who wrote them. */
function asking(verdict: Verdict): Verdict {
  return { ...verdict, effect: 'ask', strength: verdict.strength ?? 'simple' }
}

function editedRow(
  deps: EditPorts,
  before: CallRow,
  edited: Call,
  tool: Tool,
  judged: Pick<CallRow, 'verdict' | 'policy_version' | 'judged'>,
  replaced: ApprovalRow,
): CallRow {
  if (replaced.replaced_by === undefined) throw new Bug('an edited request names its successor')
  const { folded_hash: _, ...kept } = before
  return {
    ...kept,
    ...edited,
    identity: identityOf(edited),
    ...judged,
    idempotent: tool.idempotent,
    approval_id: replaced.replaced_by,
    held_until: deps.clock() + deps.holdFor(judged.verdict, tool.risk),
  }
}

function newRequest(
  deps: EditPorts,
  row: CallRow,
  before: ApprovalRow,
  preview: Pick<ApprovalRow, 'preview' | 'preview_raw' | 'shown' | 'look_alikes'>,
): ApprovalRow {
  if (row.approval_id === undefined || row.held_until === undefined) throw new Bug('a held call has a request')
  const now = deps.clock()
  return {
    ...requestOf(row),
    ...preview,
    approval_id: row.approval_id,
    run_id: before.run_id,
    ...routeIn(row.verdict, now),
    created_at: now,
    expires_at: row.held_until,
    replaces: before.approval_id,
    // A request from a release that did not count requests is not counted now.
    ...(before.counted === undefined
      ? {}
      : { counted: { bytes: bytesOf(row.canonical_args, preview.preview, preview.preview_raw) } }),
    edited_from: before.canonical_args,
  }
}

function editChanges(
  held: Stored<'approvals'>,
  replaced: ApprovalRow,
  request: ApprovalRow,
  call: Stored<'calls'>,
  row: CallRow,
  by: Caller,
): Change[] {
  const { approval_id, expires_at, route } = request
  const escalates_at = route?.escalates_at === undefined ? {} : { escalates_at: route.escalates_at }
  const event = { type: 'approval.edited', approval_id, expires_at, ...escalates_at }
  const about = { replaces: replaced.approval_id, args_hash_before: replaced.args_hash }
  return [
    ...approvalMoved(held, replaced, event),
    { kind: 'swap', table: 'approvals', id: request.approval_id, from: 'absent', to: request },
    ...(request.counted === undefined ? [] : movedChanges(request.caller, request.counted.bytes)),
    { kind: 'swap', table: 'calls', id: row.call_id, from: call.version, to: row },
    {
      kind: 'audit',
      entry: auditOf('approval.edited', row, request.created_at, { actor: by.id, verdict: row.verdict, about }),
    },
  ]
}
