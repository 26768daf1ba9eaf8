import { z } from 'zod'

/**
 * Where a value of the arguments came from. `user`: the user's own words. `claimed`: an agent says that the user wrote it.
 * `operator`: the configuration. `approved`: a person approved it before, in this session. `tool`: an output that only the
 * operator's people can write. `outside`: an output that outsiders can write. A value without a source is of unknown origin.
 */
export const SourceKind = z.enum(['user', 'claimed', 'operator', 'approved', 'tool', 'outside'])
export type SourceKind = z.infer<typeof SourceKind>

export const ValueSource = z.object({
  /** A JSON pointer into the arguments. */
  at: z.string(),
  kind: SourceKind,
  /** A short description for people: `the output of mail__read_message`. */
  label: z.string(),
  /** The exact place: the call whose output it was, and a JSON pointer into that output. */
  where: z.object({ call_id: z.string().optional(), path: z.string().optional() }).optional(),
  /** The text around the value, redacted and bounded. */
  excerpt: z.string().optional(),
  /** When the gate learned of it. */
  time: z.number().optional(),
})
export type ValueSource = z.infer<typeof ValueSource>
