import { z } from 'zod'
import { ValueSource } from '../../kernel/sessions/value-source.ts'

/** Why provenance asked about a call or did not: what the session knew when the call was made. Contains no argument value. */
export const WhyAnswer = z.object({
  call_id: z.string(),
  tool_id: z.string(),
  /** Set if the operator declares that the tool only reads, and says how such a call is recorded. */
  declared_read: z.string().optional(),
  /** How clearly the user's words ask for the action. */
  licence: z.enum(['strong', 'weak', 'plausible', 'none']),
  /** Whether the user's words are known at all. */
  user_words: z.boolean(),
  /** The texts that ask for the action too. */
  contests: z.array(z.object({ label: z.string(), call_id: z.string().optional(), time: z.number() })),
  values: z.array(
    z.object({
      at: z.string(),
      role: z.enum(['destination', 'entity', 'content', 'date', 'amount', 'flag']),
      from: z.enum(['user', 'constant', 'approved', 'data', 'none']),
      source: ValueSource.optional(),
    }),
  ),
  /** The rules that asked, with the argument each is about. */
  reasons: z.array(z.object({ rule: z.string(), at: z.string().optional() })),
})
export type WhyAnswer = z.infer<typeof WhyAnswer>
