import { Checkpoint, type AuditFinding, type CheckpointBody, type StreamHead } from '../contract/audit.ts'
import { GENESIS } from '../contract/genesis.ts'
import { bodyFault, checkpointHash, checkpointText } from './checkpoint.ts'
import { forestRoot, NO_LEAVES } from './merkle.ts'
import type { Claim, Digests, VerifyProgress, VerifyStep } from './verify.ts'

export type Signers = {
  /** Whether the signature is by one of this gate's keys, over exactly this text. */
  isGenuine(text: string, key: string, signature: string): boolean
}

/** Findings about a checkpoint itself use this as the stream, and the checkpoint's number instead of an entry's. */
export const CHECKPOINTS = 'checkpoints'

export const checkpointFinding = (what: AuditFinding['what'], number: number, says: string): AuditFinding => ({
  what,
  stream: CHECKPOINTS,
  seq: number,
  says,
})

export function readCheckpoint(stored: unknown): Checkpoint | undefined {
  const read = Checkpoint.safeParse(stored)
  return read.success ? read.data : undefined
}

export function isSigned(checkpoint: Checkpoint, keys: Signers): boolean {
  try {
    return keys.isGenuine(checkpointText(checkpoint.body), checkpoint.key, checkpoint.signature)
  } catch {
    return false // a stream name without a canonical form was never signed
  }
}

/** Checks the checkpoint stored after `previous`: its format, signature and position, before any entry is checked. */
export function nextCheckpoint(
  previous: CheckpointBody | undefined,
  stored: unknown,
  keys: Signers,
  digest: Digests['digest'],
): { readonly next: Checkpoint } | { readonly finding: AuditFinding } {
  const expected = (previous?.number ?? 0) + 1
  const find = (what: AuditFinding['what'], number: number, says: string) => ({
    finding: checkpointFinding(what, number, says),
  })
  const checkpoint = readCheckpoint(stored)
  if (checkpoint === undefined) return find('unreadable', expected, `checkpoint ${expected} cannot be read`)
  // Check the signature first: an unsigned body's number proves nothing.
  if (!isSigned(checkpoint, keys))
    return find('checkpoint_forged', expected, `checkpoint ${expected} is not signed by a key of this gate`)
  const { body } = checkpoint
  if (body.number > expected) return find('checkpoint_missing', expected, `checkpoint ${expected} is missing`)
  if (body.number < expected)
    return find('checkpoint_mismatch', expected, `checkpoint ${body.number} was found where ${expected} was expected`)
  const before = previous === undefined ? GENESIS : checkpointHash(previous, digest)
  if (body.prev !== before)
    return find(
      'checkpoint_missing',
      expected - 1,
      `checkpoint ${expected - 1}, which checkpoint ${expected} follows, is missing`,
    )
  const fault = bodyFault(previous, body)
  if (fault !== undefined)
    return find('checkpoint_mismatch', expected, `checkpoint ${expected} is inconsistent: ${fault}`)
  return { next: checkpoint }
}

export const claimOf = (head: StreamHead, by: string): Claim => ({ seq: head.to, hash: head.head, by, signed: true })

/** The stream was verified up to the checkpoint's head; this checks the root. */
export function closeRange(at: VerifyProgress, head: StreamHead, number: number, digests: Digests): VerifyStep {
  if (at.seq === head.to && at.hash === head.head && forestRoot(at.unsigned, digests.digestBytes) === head.root)
    return { next: { ...at, vouched: true, unsigned: NO_LEAVES } }
  const says = `checkpoint ${number} does not match the entries ${head.from} to ${head.to} of \`${head.stream}\``
  return { finding: checkpointFinding('checkpoint_mismatch', number, says) }
}
