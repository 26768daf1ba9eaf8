import { type AuditEntry, AuditProof, type Checkpoint } from '../contract/audit.ts'
import { ok, refuse, type Result, Bug } from '../contract/problems.ts'
import { checkpointId, signedUpTo } from './checkpoint.ts'
import { readCheckpoint, isSigned, type Signers } from './verify-checkpoint.ts'
import type { Digests } from './verify.ts'
import type { CheckpointKeys } from '../ports/audit.ts'
import type { AuditReads, Tables } from '../ports/reads.ts'
import { storedBreak } from './accepted-breaks.ts'
import { ENTRIES_AT_ONCE, letOthersRun } from './verify-audit-reads.ts'
import { newestCheckpoint } from './write-checkpoint.ts'
import { entryText } from './chain.ts'
import { merklePath, pathSides, rootFromPath } from './merkle.ts'

export type ProveEntryPorts = Digests & {
  readonly audit: AuditReads
  readonly tables: Pick<Tables, 'row' | 'list'>
  readonly keys: Pick<CheckpointKeys, 'isGenuine' | 'publicKey'>
}

/**
 * A proof that anybody can check without Sluice.
 * INVARIANT: an invalid proof is never returned.
 */
export async function proveEntry(deps: ProveEntryPorts, stream: string, seq: number): Promise<Result<AuditProof>> {
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
async function coveringCheckpoint(deps: ProveEntryPorts, stream: string, seq: number): Promise<Result<Checkpoint>> {
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
async function proofUnder(deps: ProveEntryPorts, checkpoint: Checkpoint, stream: string, seq: number) {
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

/** `hashes`: those of the checkpoint's whole range in the entry's stream, in order. */
function buildProof(
  entry: AuditEntry,
  hashes: readonly string[],
  signed: { readonly checkpoint: Checkpoint; readonly public_key: string },
  digests: Digests,
): AuditProof {
  const head = signed.checkpoint.body.streams.find(({ stream }) => stream === entry.stream)
  if (head === undefined || hashes.length !== head.to - head.from + 1)
    throw new Bug('a proof needs all hashes of the range that the checkpoint signed')
  return { v: 1, entry, path: merklePath(hashes, entry.seq - head.from, digests.digestBytes), ...signed }
}

type ProofKeys = Signers & { publicKey(key: string): string | undefined }

/** The entry, if the proof is valid under the keys of this gate. */
export function checkProof(offered: unknown, keys: ProofKeys, digests: Digests): Result<AuditEntry> {
  const why = proofFault(offered, keys, digests)
  return typeof why === 'string' ? refuse('audit.broken', { why }) : ok(why.entry)
}

function proofFault(offered: unknown, keys: ProofKeys, digests: Digests): string | AuditProof {
  const read = AuditProof.safeParse(offered)
  if (!read.success) return 'it is not a valid proof'
  const { entry, path, checkpoint, public_key } = read.data
  if (!isSigned(checkpoint, keys)) return 'the checkpoint is not signed by a key of this gate'
  if (keys.publicKey(checkpoint.key) !== public_key) return 'the public key is not the one that signed'
  const { hash, ...unhashed } = entry
  if (hashOf(unhashed, digests) !== hash) return 'the entry does not match its hash'
  const head = checkpoint.body.streams.find(({ stream }) => stream === entry.stream)
  if (head === undefined || entry.seq < head.from || entry.seq > head.to)
    return 'the checkpoint does not cover the entry'
  // The sides follow from the position, so a path that leads to the root from another position does not prove this one.
  const sides = pathSides(entry.seq - head.from, head.to - head.from + 1)
  if (sides.join() !== path.map(({ side }) => side).join()) return 'the path does not start at the entry'
  if (rootFromPath(hash, path, digests.digestBytes) !== head.root) return 'the path does not lead to the signed root'
  return read.data
}

function hashOf(unhashed: Omit<AuditEntry, 'hash'>, digests: Digests): string | undefined {
  try {
    return digests.digest(entryText(unhashed))
  } catch {
    return undefined // a lone surrogate: such text was never hashed
  }
}
