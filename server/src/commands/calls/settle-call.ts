import type { Caller } from '../../contract/caller.ts'
import type { CallRow, Outcome } from '../../contract/call.ts'
import { ok, problem, refuse, type Result } from '../../contract/problems.ts'
import { mayDecide } from '../../core/approvals/may-decide.ts'
import { kept } from '../../core/gate/interpret.ts'
import { mayBeAsked, type AskedDeps } from '../approvals/asked-people.ts'
import type { HubDecidesDeps } from '../approvals/hub-decides.ts'
import type { PasskeyDeps } from '../identity/passkeys.ts'
import { isLostToProof, provePerson, UNPROVEN, type ShownProof } from '../identity/prove-person.ts'
import { auditOf } from './call-changes.ts'
import { describeCall, type Links } from './describe-call.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { addRunEvent } from '../runs/run-changes.ts'
import { retryChanges } from './retry-changes.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type SettleDeps = AskedDeps &
  HubDecidesDeps &
  PasskeyDeps & {
    readonly tables: Tables
    readonly ledger: Ledger
    readonly clock: Clock
    readonly ids: Ids
    readonly links: Links
  }

export type Settlement = 'retry' | 'done' | 'failed'

/** A person says how a call with an unknown outcome ended, or orders a retry, which the driver makes. */
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
  const routed = await askedAbout(deps, by, held.row)
  if (!routed.ok) return routed
  const isOpen = held.row.state === 'unknown' && held.row.settled === undefined
  if (!isOpen) return refuse('call.not_unknown', { call_id, state: held.row.state })
  const proven = as === 'retry' ? await provePerson(deps, by, shown) : ok(UNPROVEN)
  if (!proven.ok) return proven
  const now = deps.clock()
  const { row, changes: more } = settlement(deps, held.row, by.id, as, now)
  const changes: Change[] = [
    ...proven.value.changes,
    { kind: 'swap', table: 'calls', id: call_id, from: held.version, to: row },
    ...more,
    { kind: 'audit', entry: auditOf('call.settled', row, now, { actor: by.id, outcome: row.state, about: { as } }) },
  ]
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return ok(describeCall(row, deps.links))
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (isLostToProof(proven.value, changes, recorded)) return refuse('request.replayed')
  return settleCall(deps, by, call_id, as, shown)
}

/** The people who decide about a routed call also settle it: a retry is a decision too. */
async function askedAbout(deps: SettleDeps, by: Caller, { approval_id }: CallRow): Promise<Result<unknown>> {
  const approval = approval_id === undefined ? undefined : await deps.tables.row('approvals', approval_id)
  return approval === undefined ? ok(undefined) : mayBeAsked(deps, by, approval.row)
}

function settlement(
  deps: SettleDeps,
  before: CallRow,
  by: string,
  as: Settlement,
  at: number,
): { row: CallRow; changes: Change[] } {
  const row: CallRow = { ...before, settled: { by, as, at } }
  if (as === 'retry') return retryChanges(deps, row)
  const changes = closeRun(before)
  if (as === 'failed') return { row: { ...row, state: 'failed', problem: problem('call.marked_failed') }, changes }
  const text = `${by} found that this call took effect; its output was not recorded`
  const { problem: _, ...rest } = row
  const result = { content: [{ type: 'text', text }] }
  return { row: { ...rest, state: 'executed', result, output: kept(text.length) }, changes }
}

/** Continues the run that waits for a person to settle its call. */
export function closeRun({ run_id }: CallRow): Change[] {
  if (run_id === undefined) return []
  return addRunEvent(run_id, { type: 'call.settled' })
}
