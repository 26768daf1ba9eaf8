import { z } from 'zod'

export const CallerKind = z.enum(['agent', 'user', 'approver', 'reviewer', 'admin', 'node'])
export type CallerKind = z.infer<typeof CallerKind>

/** Who speaks, taken from a credential and never from a request's fields. */
export const Caller = z.strictObject({
  kind: CallerKind,
  /** Unique among all callers, `kind:name`. */
  id: z.string().min(1).max(128),
  /** The person behind it: an agent's owner, or the person themself. */
  user: z.string().min(1).max(128),
})
export type Caller = z.infer<typeof Caller>

/** Kinds that may decide an approval. An agent credential never can. */
export const DECIDING_KINDS: readonly CallerKind[] = ['approver', 'admin']

/** A stored credential: the key itself is shown once and kept only as a digest. */
export const CredentialRow = z.strictObject({
  v: z.literal(1),
  key_id: z.string(),
  key_hash: z.string(),
  caller: Caller,
  created_at: z.number(),
  expires_at: z.number().optional(),
  revoked_at: z.number().optional(),
})
export type CredentialRow = z.infer<typeof CredentialRow>
