import { z } from 'zod'

/** Long enough to resist guessing, and limited, because hashing a very long text takes long. */
export const Passphrase = z.string().min(10, 'a passphrase has at least 10 characters').max(256)

/** What is stored of a passphrase: enough to verify it, with its hashing parameters. */
export const SealedPassphrase = z.strictObject({
  kdf: z.literal('scrypt'),
  cost: z.int(),
  block: z.int(),
  parallel: z.int(),
  salt: z.string(),
  hash: z.string(),
})
export type SealedPassphrase = z.infer<typeof SealedPassphrase>

/** One per person, whatever credentials they have. */
export type PassphraseRow = {
  readonly v: 1
  readonly user: string
  /** Absent if it was cleared: then the person has none. */
  readonly sealed?: SealedPassphrase
  readonly set_at: number
  readonly set_by: string
}
