import { z } from 'zod'
import type { Json } from './json.ts'

/** Not copied: a copy of the arguments could lose something the hash must cover (a key called `__proto__`). */
export const Arguments = z.unknown().refine((value): value is Json => value !== undefined, 'arguments are missing')

/** The maximum length of the user's words; longer text is cut. */
export const MOST_WORDS_TEXT = 32_768

/** A user's words that come with a request. `claimed`: an agent reports them. */
export type UserText = { readonly text: string; readonly trust: 'user' | 'claimed' }

/** The body of a call over HTTP. Strict: an unknown field is reported as a mistake. */
export const CallBody = z.strictObject({
  tool: z.string().min(1).max(200),
  args: Arguments.default({}),
  /** The session of the call. Validated by the gate, the same at every door. */
  thread: z.string().optional(),
  /** The caller's own canonical form or hash of the arguments, to be compared. */
  canonical_args: z.string().optional(),
  args_hash: z.string().max(128).optional(),
  dry_run: z.enum(['first', 'only']).optional(),
  /** What the user said, verbatim. From a program's key it is a claim, unless that key is trusted to report its user's words. */
  user_words: z.string().max(MOST_WORDS_TEXT).optional(),
})
export type CallBody = z.infer<typeof CallBody>
