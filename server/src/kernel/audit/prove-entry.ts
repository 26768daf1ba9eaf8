import type { AuditEntry, AuditProof, Checkpoint } from '../contract/audit.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { checkpointId, signedUpTo } from './checkpoint.ts'
import { buildProof, checkProof } from './proof.ts'
import { readCheckpoint } from './verify-checkpoint.ts'
import type { Digests } from './verify.ts'
import type { CheckpointKeys } from '../ports/audit.ts'
import type { AuditReads, Tables } from '../ports/reads.ts'
import { storedBreak } from './accepted-breaks.ts'
import { ENTRIES_AT_ONCE, letOthersRun } from './verify-audit-reads.ts'
import { newestCheckpoint } from './write-checkpoint.ts'

export type ProveEntryDeps = Digests & {
  readonly audit: AuditReads
  readonly tables: Pick<Tables, 'row' | 'list'>
  readonly keys: Pick<CheckpointKeys, 'isGenuine' | 'publicKey'>
}

/**
 * A proof that anybody can check without Sluice.
 * INVARIANT: an invalid proof is never returned.
 */
export async function proveEntry(deps: ProveEntryDeps, stream: string, seq: number): Promise<Result<AuditProof>> {
  const about = { stream, seq: String(seq) }
  const head = (await deps.audit.heads()).find((known) => known.stream === stream)
  if (head === undefined || !Number.isInteger(seq) || seq < 1 || seq > head.seq)
    return refuse('audit.seq_unknown', about)
  const covering = await coveringCheckpoint(deps, stream, seq)
  if (!covering.ok) return covering
  const proof = await proofUnder(deps, covering.value, stream, seq)
  if (proof === undefined) return refuse('audit.broken', about)
  const held = checkProof(proof, deps.keys, deps)
  return held.ok ? ok(proof) : refuse('audit.broken', { ...about, ...held.problem.about })
}

/** The first checkpoint that signed the entry, by binary search: how far a stream is signed never decreases. */
async function coveringCheckpoint(deps: ProveEntryDeps, stream: string, seq: number): Promise<Result<Checkpoint>> {
  const newest = readCheckpoint(await newestCheckpoint(deps.tables))
  if (newest === undefined || signedUpTo(newest.body, stream) < seq)
    return refuse('audit.not_signed_yet', { stream, seq: String(seq) })
  const since = newest.body.since_break ?? 0
  const accepted = since === 0 ? undefined : await storedBreak(deps, since)
  const isBefore = since > 0 && signedUpTo(accepted?.body, stream) >= seq
  if (isBefore || (since > 0 && accepted === undefined))
    return refuse('audit.broken', { stream, seq: String(seq), why: 'the entry is older than an accepted break' })
  let covering = newest
  let below = since
  while (covering.body.number - below > 1) {
    const number = Math.floor((below + covering.body.number) / 2)
    const middle = readCheckpoint((await deps.tables.row('checkpoints', checkpointId(number)))?.row)
    if (middle?.body.number !== number) return refuse('audit.broken', { checkpoint: String(number) })
    if (signedUpTo(middle.body, stream) >= seq) covering = middle
    else below = number
  }
  return ok(covering)
}

/** Undefined if the range is not there as it was signed. */
async function proofUnder(deps: ProveEntryDeps, checkpoint: Checkpoint, stream: string, seq: number) {
  const range = checkpoint.body.streams.find((head) => head.stream === stream)
  const public_key = deps.keys.publicKey(checkpoint.key)
  if (range === undefined || public_key === undefined) return undefined
  const hashes: string[] = []
  let proven: AuditEntry | undefined
  while (range.from + hashes.length <= range.to) {
    const from = range.from + hashes.length
    await letOthersRun()
    const page = await deps.audit.entries(stream, from, Math.min(ENTRIES_AT_ONCE, range.to - from + 1))
    const whole = page.length > 0 && page.every((entry, index) => entry?.seq === from + index)
    if (!whole) return undefined
    proven ??= page.find((entry) => entry.seq === seq)
    hashes.push(...page.map(({ hash }) => hash))
  }
  return proven === undefined ? undefined : buildProof(proven, hashes, { checkpoint, public_key }, deps)
}
