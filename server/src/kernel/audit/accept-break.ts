import type { AuditEvent } from '../contract/audit-events.ts'
import type { Checkpoint } from '../contract/audit.ts'
import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { breakBody, checkpointId, checkpointText } from './checkpoint.ts'
import { readCheckpoint } from './verify-checkpoint.ts'
import type { AuditDraft } from '../contract/audit.ts'
import type { CheckpointKeys } from '../ports/audit.ts'
import type { Ids } from '../ports/runtime.ts'
import { checkContinuity } from './check-continuity.ts'
import { verifyAudit } from './verify-audit.ts'
import type { WriteCheckpointPorts } from './write-checkpoint.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type AcceptBreakPorts = WriteCheckpointPorts & {
  readonly keys: Pick<CheckpointKeys, 'sign' | 'isGenuine'>
  readonly ids: Pick<Ids, 'trace'>
}

/** How many numbers ahead the next attempt continues, if inserted rows are in the way. */
const JUMPS = [0, 1, 1_000, 1_000_000]

/**
 * An admin continues from a broken audit. What is stored is accepted as found, a signed checkpoint says so, and everything after
 * it is verified again; nothing before it is guaranteed any more. Both the finding and the reason are recorded.
 */
export async function acceptBreak(deps: AcceptBreakPorts, by: Caller, reason: string): Promise<Result<Checkpoint>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const continued = await checkContinuity(deps)
  const report = await verifyAudit(deps, { checkpointFile: deps.checkpointFile.state() })
  if (continued.ok && report.ok) return refuse('audit.not_broken')
  const was = report.first?.says ?? (continued.ok ? '' : (continued.problem.about['why'] ?? ''))
  const entry = (type: AuditEvent, about: AuditDraft['about'] & object) =>
    ({
      kind: 'audit',
      entry: { at: deps.clock(), type, actor: by.id, trace: deps.ids.trace(), subject: {}, about },
    }) as const
  // In its own commit first: whatever was done to the stored head, after this it is the last entry.
  const found = await deps.ledger.commit([entry('audit.break_found', { was })])
  if (found !== 'committed') return refuseUnrecorded(found)
  for (const jump of JUMPS) {
    const checkpoint = await breakCheckpoint(deps, { by: by.id, reason, was }, jump)
    const id = checkpointId(checkpoint.body.number)
    const accepted = entry('audit.break_accepted', { reason, was, checkpoint: checkpoint.body.number })
    const committed = await deps.ledger.commit([
      { kind: 'swap', table: 'checkpoints', id, from: 'absent', to: checkpoint },
      accepted,
    ])
    if (isUnrecorded(committed)) return refuseUnrecorded(committed)
    if (committed !== 'committed') continue
    await deps.checkpointFile.keep({ newest: checkpoint })
    deps.seen?.forget()
    return ok(checkpoint)
  }
  return refuse('audit.unavailable', { why: 'the checkpoints could not be written' })
}

async function breakCheckpoint(
  deps: AcceptBreakPorts,
  accepted: { readonly by: string; readonly reason: string; readonly was: string },
  jump: number,
): Promise<Checkpoint> {
  const newest = deps.checkpointFile.state().newest?.body
  const stored = await deps.tables.list('checkpoints', {}, { limit: 1, newest_first: true }).catch(() => [])
  const last = readCheckpoint(stored[0]?.row)?.body.number ?? 0
  const number = Math.max(newest?.number ?? 0, Math.min(last, NUMBERS)) + 1 + jump
  const heads = await deps.audit.heads()
  const signed = (newest?.streams ?? []).map(({ stream }) => stream)
  const streams = new Set(deps.stream === undefined ? heads.map(({ stream }) => stream) : [deps.stream, ...signed])
  const body = breakBody({ newest, number, streams }, heads, accepted, deps.clock(), deps)
  return { body, ...deps.keys.sign(checkpointText(body)) }
}

/** A stored row's number is not trusted beyond this. */
const NUMBERS = 1e9
