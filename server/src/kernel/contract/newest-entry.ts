import { z } from 'zod'

/** The newest entry of an audit stream, and how many changes to single-use keys its writer had made. */
export const NewestEntry = z.strictObject({
  v: z.literal(1),
  stream: z.string(),
  seq: z.int().nonnegative(),
  hash: z.string(),
  once: z.int().nonnegative().optional(),
})
export type NewestEntry = Omit<z.infer<typeof NewestEntry>, 'v'>

/** The newest entries of several streams. */
export const NewestEntries = z.strictObject({ v: z.literal(1), entries: z.array(NewestEntry) })
