import type { AuditEntry, AuditProof, AuditReport, Checkpoint } from '../contract/audit.ts'
import type { Caller } from '../contract/caller.ts'
import type { Result } from '../contract/problems.ts'
import type { CheckpointKeys, OwnTail, PublicKey } from '../ports/audit.ts'
import type { AuditReads } from '../ports/reads.ts'
import { acceptBreak, type AcceptBreakDeps } from './accept-break.ts'
import { exportAudit, type ExportAuditDeps } from './export-audit.ts'
import { auditBackwards, newestAudit, type AuditBackwards, type AuditPage } from './newest-audit.ts'
import { noteRefusal, type NoteDeps, type Refusal } from './note-refusal.ts'
import { proveEntry, type ProveEntryDeps } from './prove-entry.ts'
import { verifyAudit, type VerifyAuditDeps } from './verify-audit.ts'
import { presentCheckpoint, type WriteCheckpointDeps } from './write-checkpoint.ts'

export type AuditDeps = AcceptBreakDeps &
  ExportAuditDeps &
  NoteDeps &
  ProveEntryDeps &
  VerifyAuditDeps &
  WriteCheckpointDeps & {
    readonly audit: AuditReads
    readonly keys: CheckpointKeys
    readonly tail: OwnTail
    /** The default stream. */
    readonly stream: string
  }

export interface AuditGate {
  /** Records that somebody was rejected at a door. */
  noteRefusal(refusal: Refusal): Promise<void>
  /** The newest entries, in ascending order. */
  newest(stream: string | undefined, limit: number): Promise<readonly AuditEntry[]>
  /** All streams, newest first. */
  backwards(
    asked: Omit<AuditBackwards, 'at'> & { at?: { stream: string | undefined; seq: number } },
  ): Promise<Result<AuditPage>>
  page(stream: string | undefined, from: number, limit: number): Promise<readonly AuditEntry[]>
  /** `of`: how many entries there were at the start. */
  verify(
    against: readonly Checkpoint[],
    onProgress?: (done: { readonly entries: number; readonly of: number }) => void,
  ): Promise<AuditReport>
  export(since: number, format: 'jsonl' | 'csv'): AsyncIterable<string>
  prove(stream: string | undefined, seq: number): Promise<Result<AuditProof>>
  presentCheckpoint(): Promise<Result<Checkpoint | undefined>>
  /** Continues from a broken audit: signs what is there as found, with the reason. */
  acceptBreak(caller: Caller, reason: string): Promise<Result<Checkpoint>>
  /** The keys for verifying checkpoints. */
  checkpointKeys(): readonly PublicKey[]
}

export const bindAudit = (deps: AuditDeps): AuditGate => ({
  noteRefusal: (refusal) => noteRefusal(deps, refusal),
  newest: (stream, limit) => newestAudit(deps.audit, stream ?? deps.stream, limit),
  backwards: ({ at, ...asked }) =>
    auditBackwards(deps.audit, {
      ...asked,
      ...(at === undefined ? {} : { at: { stream: at.stream ?? deps.stream, seq: at.seq } }),
    }),
  page: (stream, from, limit) => deps.audit.entries(stream ?? deps.stream, from, limit),
  async verify(against, onProgress) {
    const options = { against, checkpointFile: deps.checkpointFile.state(), tail: deps.tail }
    if (onProgress === undefined) return signTail(deps, await verifyAudit(deps, options))
    const heads = await deps.audit.heads().catch(() => [])
    const of = heads.reduce((sum, { seq }) => sum + seq, 0)
    const told = { ...options, onProgress: ({ entries }: { entries: number }) => onProgress({ entries, of }) }
    return signTail(deps, await verifyAudit(deps, told))
  },
  export: (since, format) => exportAudit(deps, { format, ...(since > 0 ? { since } : {}) }),
  prove: (stream, seq) => proveEntry(deps, stream ?? deps.stream, seq),
  presentCheckpoint: () => presentCheckpoint(deps),
  acceptBreak: (caller, reason) => acceptBreak(deps, caller, reason),
  checkpointKeys: () => deps.keys.publicKeys(),
})

/** What was verified is signed at once, so that only a gate that cannot sign reports entries that are not signed. */
async function signTail(deps: AuditDeps, report: AuditReport): Promise<AuditReport> {
  if (!report.ok || report.unsigned === 0) return report
  const present = await presentCheckpoint(deps)
  if (!present.ok || present.value === undefined) return report
  const { number, count } = present.value.body
  const total = report.streams.reduce((sum, { seq }) => sum + seq, 0)
  return { ...report, checkpoints: number, unsigned: Math.max(0, total - count) }
}
