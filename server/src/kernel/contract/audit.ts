import { z } from 'zod'
import type { AuditEvent } from './audit-events.ts'
import { Sha256 } from './ids.ts'
import { Verdict } from './verdict.ts'

/** What a command wants recorded. Sequence, previous hash and stream are assigned inside the commit. */
export const AuditDraft = z.strictObject({
  at: z.number(),
  /** noun.past, for example `call.held`, `approval.approved`. Stored entries can be of another release. */
  type: z.string(),
  actor: z.string(),
  trace: z.string(),
  /** Ids of what it is about: call, approval, run, tool. */
  subject: z.record(z.string(), z.string()),
  args_hash: Sha256.optional(),
  verdict: Verdict.optional(),
  outcome: z.string().optional(),
  /** Codes, limits, hashes: never a secret, a token or private text. */
  about: z.record(z.string(), z.json()).optional(),
})
export type AuditDraft = z.infer<typeof AuditDraft> & { readonly type: AuditEvent }

/** One link of a stream's chain. `hash` = sha256 of the canonical JSON of everything else. */
export const AuditEntry = AuditDraft.extend({
  v: z.literal(1),
  stream: z.string(),
  seq: z.number().int().positive(),
  prev_hash: Sha256,
  hash: Sha256,
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** What a checkpoint says about one stream: the head, and the Merkle root (RFC 6962) of the hashes from `from` to `to`. */
export const StreamHead = z.strictObject({
  stream: z.string(),
  from: z.number().int().positive(),
  to: z.number().int().positive(),
  head: Sha256,
  root: Sha256,
})
export type StreamHead = z.infer<typeof StreamHead>

/** An admin continues from a broken audit. The heads of the checkpoint that contains this are accepted as found. */
export const AuditBreak = z.strictObject({
  by: z.string(),
  reason: z.string(),
  /** What was found. */
  was: z.string(),
  /** The number of the checkpoint with the previous accepted break; 0: there is none. */
  before: z.number().int().nonnegative(),
  /** Streams that this gate did not write: no checkpoint signs them. */
  left_out: z.array(z.string()),
})
export type AuditBreak = z.infer<typeof AuditBreak>

/** A signed statement over all streams. Checkpoints are chained too, so that a removed one is detected. */
export const CheckpointBody = z.strictObject({
  v: z.literal(1),
  number: z.number().int().positive(),
  at: z.number(),
  count: z.number().int(),
  prev: Sha256,
  streams: z.array(StreamHead),
  /** The number of the checkpoint with the newest accepted break; 0: there is none. Absent in checkpoints of earlier releases. */
  since_break: z.number().int().nonnegative().optional(),
  break: AuditBreak.optional(),
})
export type CheckpointBody = z.infer<typeof CheckpointBody>
export const Checkpoint = z.strictObject({ body: CheckpointBody, key: z.string(), signature: z.string() })
export type Checkpoint = z.infer<typeof Checkpoint>

/** A portable proof that one entry is in a signed stream, without showing any other entry. */
export const AuditProof = z.strictObject({
  v: z.literal(1),
  entry: AuditEntry,
  /** Sibling hashes from the leaf up, with the side of each. */
  path: z.array(z.strictObject({ side: z.enum(['left', 'right']), hash: Sha256 })),
  checkpoint: Checkpoint,
  public_key: z.string(),
})
export type AuditProof = z.infer<typeof AuditProof>

/** How a chain is broken, and where. */
export type AuditFinding = {
  readonly what:
    | 'edited'
    | 'missing'
    | 'reordered'
    | 'truncated'
    | 'unreadable'
    | 'checkpoint_forged'
    | 'checkpoint_missing'
    | 'checkpoint_mismatch'
  readonly stream: string
  /** The first bad entry; for a fault of a checkpoint itself, the checkpoint's number. */
  readonly seq: number
  readonly says: string
}
export type AcceptedBreak = AuditBreak & { readonly checkpoint: number; readonly at: number }

/** The newest signed state, stored beside the keys. `broken`: what was found, until an admin accepts it. */
export const StoredAuditState = z.strictObject({
  v: z.literal(1),
  newest: Checkpoint.optional(),
  broken: z.strictObject({ at: z.number(), stream: z.string(), seq: z.number().int(), says: z.string() }).optional(),
})
export type StoredAuditState = z.infer<typeof StoredAuditState>
export type AuditBroken = NonNullable<StoredAuditState['broken']>

export type AuditReport = {
  readonly ok: boolean
  readonly entries: number
  readonly checkpoints: number
  readonly streams: readonly { readonly stream: string; readonly seq: number; readonly head: string }[]
  /** Entries after the newest checkpoint: chained, not yet signed. */
  readonly unsigned: number
  /** Breaks that an admin accepted, newest first. Nothing older than the newest one is guaranteed. */
  readonly breaks?: readonly AcceptedBreak[]
  readonly first?: AuditFinding
}
