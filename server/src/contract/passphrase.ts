import { z } from 'zod'

/** Long enough not to be tried out, short enough not to be an attack. */
export const Passphrase = z.string().min(10, 'a passphrase has at least 10 characters').max(256)

/** What is kept of a passphrase: enough to recognise it, with the parameters it was hashed with. */
export const SealedPassphrase = z.strictObject({
  kdf: z.literal('scrypt'),
  cost: z.int(),
  block: z.int(),
  parallel: z.int(),
  salt: z.string(),
  hash: z.string(),
})
export type SealedPassphrase = z.infer<typeof SealedPassphrase>

/** One for each person, whatever credentials they hold. */
export type PassphraseRow = {
  readonly v: 1
  readonly user: string
  /** Absent when it was cleared: then the person has none. */
  readonly sealed?: SealedPassphrase
  readonly set_at: number
  readonly set_by: string
}
