import type { ApprovalRow } from '../../kernel/contract/approval.ts'
import type { CallRow } from '../../kernel/contract/call.ts'
import { isSameCaller } from '../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { NodeReport } from './hub.ts'
import { KERNEL_PROBLEMS, ok, problem, type KernelProblemCode, type Result } from '../../kernel/contract/problems.ts'
import { consume, goStale, withdraw } from '../../kernel/approvals/transitions.ts'
import { hubApprovalId } from './hub-ids.ts'
import { auditOf } from '../../kernel/attempt/call-changes.ts'
import { approvalMoved, heldCallOf } from '../../kernel/attempt/close-call.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Stored, Tables } from '../../kernel/ports/reads.ts'
import type { Digest, Probe } from '../../kernel/ports/runtime.ts'
import { nodeOf } from './node-name.ts'
import { isOfNode, signReported, type SignPorts } from './sign-reply.ts'
import { refuse } from './problems.ts'

export type TakeReportPorts = SignPorts & {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly digest: Digest
  readonly probe: Probe
}

const TRIES = 5

/** A node reports how a call ended. Recorded once; a repetition is only confirmed again. */
export async function takeReport(
  deps: TakeReportPorts,
  by: Caller,
  outcome: NodeReport,
): Promise<Result<readonly string[]>> {
  const node = nodeOf(by)
  if (!node.ok) return node
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await deps.tables.row('approvals', hubApprovalId(deps.digest, node.value.key, outcome.approval_id))
    if (held === undefined || !isOfNode(held.row) || !isSameCaller(held.row.caller, by))
      return refuse('approval.unknown', { approval_id: outcome.approval_id })
    const call = await heldCallOf(deps.tables, held.row)
    if (!isKnown(call.row, outcome)) {
      deps.probe('node.storing')
      const recorded = await deps.ledger.commit(outcomeChanges(held, call, by, outcome, deps.clock()))
      deps.probe('node.stored')
      if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
      if (recorded !== 'committed') continue
    }
    const reply = await signReported(deps, held.row, outcome)
    return reply.ok ? ok([reply.value]) : reply
  }
  return refuse('audit.unavailable')
}

/** An unknown outcome may become known; every other one is final. */
const isKnown = ({ state }: CallRow, outcome: NodeReport): boolean =>
  state === outcome.state || (state !== 'pending' && state !== 'unknown')

function outcomeChanges(
  held: Stored<'approvals'>,
  call: Stored<'calls'>,
  by: Caller,
  { state, code, word, ended_at }: NodeReport,
  now: number,
): Change[] {
  const failed = code === undefined || !isCode(code) ? {} : { problem: problem(code) }
  const row: CallRow = { ...call.row, state, ended_at: ended_at ?? now, ...failed }
  const started = state !== 'refused'
  // A node that ran an unapproved call is recorded as a finding.
  const unapproved = started && !['approved', 'consumed'].includes(held.row.state)
  const about = {
    ...(code === undefined ? {} : { code }),
    ...(word === undefined ? {} : { word }),
    ...(unapproved ? { unapproved: true, approval_state: held.row.state } : {}),
  }
  const to = ended(held.row, started, now)
  const event = { type: 'approval.closed', outcome: to?.state ?? held.row.state }
  return [
    ...(to === undefined ? [] : approvalMoved(held, to, held.row.state === 'pending' ? event : undefined)),
    { kind: 'swap', table: 'calls', id: row.call_id, from: call.version, to: row },
    { kind: 'audit', entry: auditOf('node.outcome', row, now, { actor: by.id, outcome: state, about }) },
  ]
}

const isCode = (code: string): code is KernelProblemCode => Object.hasOwn(KERNEL_PROBLEMS, code)

function ended(row: ApprovalRow, started: boolean, now: number): ApprovalRow | undefined {
  if (row.state === 'pending') return valueOf(withdraw(row, now))
  if (row.state !== 'approved') return undefined
  // Used in time by the node's clock; by the hub's clock it may have expired in the meantime.
  return valueOf(started ? consume(row, Math.min(now, row.expires_at - 1)) : goStale(row, now))
}

const valueOf = (moved: Result<ApprovalRow>): ApprovalRow | undefined => (moved.ok ? moved.value : undefined)
