import type { ApprovalRow } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import { ok, problem, refuse, type Result } from '../contract/problems.ts'
import { mayDecide } from '../approvals/may-decide.ts'
import { kept } from './interpret.ts'
import { mayBeAsked, type AskedPeoplePorts } from '../approvals/asked-people.ts'
import type { HubDecidesPorts } from '../approvals/hub-decides.ts'
import type { PasskeyPorts } from '../identity/passkeys.ts'
import { isLostToProof, provePerson, UNPROVEN, type ProvenPerson, type ShownProof } from '../identity/prove-person.ts'
import { auditOf } from './call-changes.ts'
import { describeCall, type Links } from './describe-call.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored } from '../ports/reads.ts'
import { addRunEvent } from '../runs/run-changes.ts'
import { requestRetry, retryEnded, type RequestRetryDeps, isHarmless, isUnsettled, retryChanges } from './retry-call.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type SettleDeps = AskedPeoplePorts &
  HubDecidesPorts &
  PasskeyPorts &
  RequestRetryDeps & { readonly ledger: Ledger; readonly links: Links }

export type Settlement = 'retry' | 'done' | 'failed'

/**
 * A person says how a call with an unknown outcome ended, or orders a retry. The driver makes the retry of an idempotent call; any other one
 * waits for its own request to be approved, and ordering it grants nothing.
 */
export async function settleCall(
  deps: SettleDeps,
  by: Caller,
  call_id: string,
  as: Settlement,
  shown: ShownProof,
): Promise<Result<Outcome>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const held = await deps.tables.row('calls', call_id)
  if (held === undefined) return refuse('call.unknown', { call_id })
  if (held.row.node !== undefined) return refuse('node.only_there', { call_id, node: held.row.node })
  // A retry needs a person's decision, and those come from the hub.
  if (as === 'retry' && deps.hub !== undefined) return refuse('hub.decides', { call_id, hub: deps.hub.where })
  const { approval_id } = held.row
  const approval = approval_id === undefined ? undefined : await deps.tables.row('approvals', approval_id)
  const routed = await askedAbout(deps, by, approval?.row)
  if (!routed.ok) return routed
  if (!isUnsettled(held.row)) return refuse('call.not_unknown', { call_id, state: held.row.state })
  const order = as === 'retry' ? await orderRetry(deps, by, held, shown) : settle(deps, by, held, approval, as)
  if (order === 'overtaken') return settleCall(deps, by, call_id, as, shown)
  if (!order.ok) return order
  const { row, changes, proven } = order.value
  if (changes.length === 0) return ok(describeCall(row, deps.links))
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return ok(describeCall(row, deps.links))
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (isLostToProof(proven, changes, recorded)) return refuse('request.replayed')
  return settleCall(deps, by, call_id, as, shown)
}

/** The people who decide about a routed call also settle it: a retry is a decision too. */
async function askedAbout(deps: SettleDeps, by: Caller, approval: ApprovalRow | undefined): Promise<Result<unknown>> {
  return approval === undefined ? ok(undefined) : mayBeAsked(deps, by, approval)
}

/** `changes` is empty if there is nothing left to record. */
type Order = { readonly row: CallRow; readonly changes: readonly Change[]; readonly proven: ProvenPerson }

async function orderRetry(
  deps: SettleDeps,
  by: Caller,
  held: Stored<'calls'>,
  shown: ShownProof,
): Promise<Result<Order>> {
  const { row: before, version } = held
  // Ordered twice: it waits for the same request.
  if (before.retry !== undefined) return ok({ row: before, changes: [], proven: UNPROVEN })
  const tool = deps.catalogue.tool(before.tool_id)
  if (tool === undefined) return refuse('approval.stale', { because: 'tool' })
  if (!isHarmless(before, tool)) {
    const requested = await requestRetry(deps, held, tool, by)
    return requested.ok ? ok({ ...requested.value, proven: UNPROVEN }) : requested
  }
  const proven = await provePerson(deps, by, shown)
  if (!proven.ok) return proven
  const now = deps.clock()
  const { row, changes } = retryChanges(deps, { ...before, settled: { by: by.id, as: 'retry', at: now } })
  return ok({
    row,
    changes: [...proven.value.changes, ...settledChanges(row, version, by, now), ...changes],
    proven: proven.value,
  })
}

/** Ends the call, and the request for its retry if there is one. */
function settle(
  deps: SettleDeps,
  by: Caller,
  { row: before, version }: Stored<'calls'>,
  approval: Stored<'approvals'> | undefined,
  as: Exclude<Settlement, 'retry'>,
): Result<Order> | 'overtaken' {
  const now = deps.clock()
  const row = settledRow(before, by.id, as, now)
  const ended = before.retry === undefined ? closeRun(before) : retryEnded(approval, row, by, as, now)
  if (ended === undefined) return 'overtaken'
  return ok({ row, changes: [...settledChanges(row, version, by, now), ...ended], proven: UNPROVEN })
}

function settledRow(
  { retry: _, ...before }: CallRow,
  by: string,
  as: Exclude<Settlement, 'retry'>,
  at: number,
): CallRow {
  const row: CallRow = { ...before, settled: { by, as, at } }
  if (as === 'failed') return { ...row, state: 'failed', problem: problem('call.marked_failed') }
  const text = `${by} found that this call took effect; its output was not recorded`
  const { problem: _1, ...rest } = row
  const result = { content: [{ type: 'text', text }] }
  return { ...rest, state: 'executed', result, output: kept(text.length) }
}

function settledChanges(row: CallRow, from: number, by: Caller, now: number): Change[] {
  const about = { as: row.settled?.as ?? '' }
  return [
    { kind: 'swap', table: 'calls', id: row.call_id, from, to: row },
    { kind: 'audit', entry: auditOf('call.settled', row, now, { actor: by.id, outcome: row.state, about }) },
  ]
}

/** Continues the run that waits for a person to settle its call. */
export function closeRun({ run_id }: CallRow): Change[] {
  if (run_id === undefined) return []
  return addRunEvent(run_id, { type: 'call.settled' })
}
