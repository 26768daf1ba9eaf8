import type { CallRow } from '../../contract/call.ts'
import type { Verification } from '../../contract/standard.ts'
import { runReadBack, type AskDeps } from './read-back.ts'
import { auditOf } from '../call-changes.ts'
import { verificationOf } from './check-call.ts'
import type { Intake } from '../intake.ts'
import type { Change } from '../../ports/ledger.ts'
import { textLabel } from '../../sessions/labels.ts'
import { isUnrecorded } from '../../changes/unrecorded.ts'

export type VerifyDeps = AskDeps & {
  readonly intake: Intake
  /** Retries in the background until it succeeds. */
  readonly persist: (attempt: () => Promise<boolean>) => void
}

/** An executed call as stored. */
export type ExecutedCall = { readonly row: CallRow; readonly version: number }

/**
 * Verify: reads back the result of an executed call and records it as a second record, after the outcome. It only reads, so it may be
 * repeated after a crash; it never changes the fact that the call was executed.
 */
export function verifyCall(deps: VerifyDeps, executed: ExecutedCall): CallRow | Promise<CallRow> {
  return executed.row.due === 'verify' ? readBack(deps, executed) : executed.row
}

async function readBack(deps: VerifyDeps, executed: ExecutedCall): Promise<CallRow> {
  const verified = await verifyOnce(deps, executed)
  if (verified !== 'later') return verified
  deps.persist(async () => isStopping(deps) || (await verifyOnce(deps, executed)) !== 'later')
  return executed.row
}

async function verifyOnce(deps: VerifyDeps, { row, version }: ExecutedCall): Promise<CallRow | 'later'> {
  if (row.due !== 'verify' || row.read_back === undefined) return row
  const { attempt, read_back: plan } = row
  const finding = await runReadBack(deps, row, { part: 'verify', attempt: String(attempt), plan })
  if ('unrecorded' in finding) return 'later'
  // A question that was not answered because the gate stops is asked again at the next start.
  if (finding.ok === 'unknown' && isStopping(deps)) return row
  const { due: _due, read_back: _plan, ...rest } = row
  const to: CallRow = { ...rest, evidence: { ...row.evidence, verify: finding } }
  deps.probe('verify.after')
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'calls', id: row.call_id, from: version, to },
    { kind: 'audit', entry: verifiedEntry(to, finding) },
    ...readBackLabel(to, finding),
  ])
  if (isUnrecorded(recorded)) return 'later'
  // Lost to another process that read back first: its record counts.
  return recorded === 'committed' ? to : ((await deps.tables.row('calls', row.call_id))?.row ?? to)
}

/** The caller gets the result of the read-back, so it enters the session. */
function readBackLabel({ call_id, caller, thread, server, tool_id }: CallRow, finding: Verification): Change[] {
  const source = { server, name: tool_id }
  return textLabel({
    id: call_id,
    caller,
    thread,
    kind: 'preview',
    source,
    text: JSON.stringify(finding),
    at: finding.at,
  })
}

export const isStopping = ({ intake }: VerifyDeps): boolean => intake.closedBy()?.code === 'gate.stopping'

function verifiedEntry(row: CallRow, finding: Verification) {
  const about = { verified: finding.ok, ...verificationOf(finding) }
  return auditOf(finding.ok === true ? 'call.verified' : 'call.unverified', row, finding.at, { actor: 'gate', about })
}

/** For a read-back that could not even be planned: it is recorded together with the outcome. */
export function unverifiedChange(row: CallRow): Change[] {
  const finding = row.evidence?.verify
  return finding === undefined ? [] : [{ kind: 'audit', entry: verifiedEntry(row, finding) }]
}
