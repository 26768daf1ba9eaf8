import type { AuditReport, Checkpoint } from '../contract/audit.ts'
import type { OwnTail } from '../ports/audit.ts'
import { verifyAudit, type VerifyAuditPorts } from './verify-audit.ts'
import { presentCheckpoint, type WriteCheckpointPorts } from './write-checkpoint.ts'

export type VerifyAndSignPorts = VerifyAuditPorts & WriteCheckpointPorts & { readonly tail: OwnTail }

/**
 * Verifies the whole audit. What was verified is signed at once, so that only a gate that cannot sign reports entries that are not
 * signed. `onProgress`: `of` is how many entries there were at the start.
 */
export async function verifyAndSign(
  deps: VerifyAndSignPorts,
  against: readonly Checkpoint[],
  onProgress?: (done: { readonly entries: number; readonly of: number }) => void,
): Promise<AuditReport> {
  const options = { against, checkpointFile: deps.checkpointFile.state(), tail: deps.tail }
  if (onProgress === undefined) return signTail(deps, await verifyAudit(deps, options))
  const heads = await deps.audit.heads().catch(() => [])
  const of = heads.reduce((sum, { seq }) => sum + seq, 0)
  const told = { ...options, onProgress: ({ entries }: { entries: number }) => onProgress({ entries, of }) }
  return signTail(deps, await verifyAudit(deps, told))
}

async function signTail(deps: WriteCheckpointPorts, report: AuditReport): Promise<AuditReport> {
  if (!report.ok || report.unsigned === 0) return report
  const present = await presentCheckpoint(deps)
  if (!present.ok || present.value === undefined) return report
  const { number, count } = present.value.body
  const total = report.streams.reduce((sum, { seq }) => sum + seq, 0)
  return { ...report, checkpoints: number, unsigned: Math.max(0, total - count) }
}
