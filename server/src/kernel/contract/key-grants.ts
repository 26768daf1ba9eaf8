import { z } from 'zod'

/** One thing that goes back to a key. */
export const KeyGrant = z.object({
  what: z.enum(['consent', 'flow_consent', 'delegation', 'approval', 'held_call', 'login', 'key']),
  id: z.string(),
  says: z.string(),
  /** Whether it ends when the key is revoked. */
  ends: z.boolean(),
})
export type KeyGrant = z.infer<typeof KeyGrant>
