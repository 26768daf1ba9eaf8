import { z } from 'zod'

/**
 * What an admin can stop immediately: everything, or one agent, tool or server. `caller:agent:claude` is every caller of that
 * name, `caller:agent:claude user:ana` only the one of that user.
 */
export const PauseScope = z.union(
  [z.literal('all'), z.templateLiteral([z.enum(['caller', 'tool', 'server']), ':', z.string().min(1).max(300)])],
  { error: 'must be all, caller:ID, tool:ID or server:NAME' },
)
export type PauseScope = z.infer<typeof PauseScope>

export const PauseRow = z.strictObject({
  v: z.literal(1),
  scope: PauseScope,
  /** The verdict for a paused call. */
  effect: z.enum(['ask', 'block']),
  active: z.boolean(),
  by: z.string(),
  reason: z.string().max(300),
  at: z.number(),
})
export type PauseRow = z.infer<typeof PauseRow>
