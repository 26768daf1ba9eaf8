import { AuditProof, type AuditEntry, type Checkpoint } from '../contract/audit.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import { entryText } from './chain.ts'
import { merklePath, pathSides, rootFromPath } from './merkle.ts'
import { isSigned, type Signers } from './verify-checkpoint.ts'
import type { Digests } from './verify.ts'

/** `hashes`: those of the checkpoint's whole range in the entry's stream, in order. */
export function buildProof(
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

export type ProofKeys = Signers & { publicKey(key: string): string | undefined }

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
