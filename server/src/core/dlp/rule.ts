import { z } from 'zod'
import { CHECKS } from './checks.ts'

const CHECK_NAMES = Object.keys(CHECKS) as [CheckName, ...CheckName[]]
export type CheckName = keyof typeof CHECKS

/**
 * Where a rule is tried. The finder walks a text once; a rule only runs where that walk met something that can be its start,
 * so that the work is proportional to the text and not to the text times the number of rules.
 */
const WHERE = [
  'anywhere', // at every position, if one of its keywords occurs at all (or it has none)
  'keyword', // at an occurrence of one of its keywords, `back` characters earlier
  'value', // at the start of a value whose name holds one of its keywords: `HEROKU_KEY = "…"`
  'number', // at the first digit of a word
  'code', // at a word of one to six letters followed by a digit
  'colon', // at a run of hexadecimal groups joined by colons
] as const

/**
 * One kind of sensitive text, as data. The built-in tables and the configuration use the same shape.
 * Every pattern is bounded (see `pattern-cost.ts`): a rule that could make the finder slow is refused when it is compiled.
 */
export const Rule = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  /** What the text is replaced by: `[REDACTED_<type>]`. */
  type: z.string().regex(/^[A-Z][A-Z0-9_]{0,39}$/),
  kind: z.enum(['secret', 'pii']),
  at: z.enum(WHERE).default('anywhere'),
  /** Lower-case literals; letter case of the text does not matter. */
  keywords: z.array(z.string().min(1).max(40).lowercase()).default([]),
  pattern: z.string().min(1).max(1000),
  ignoreCase: z.boolean().default(false),
  /** Which group of the pattern is the sensitive part; 0 is the whole match. */
  group: z.int().min(0).max(9).default(0),
  /** How many characters before its keyword a match begins. */
  back: z.int().min(0).max(100).default(0),
  /** Whether a match may begin in the middle of a word. */
  glued: z.boolean().default(false),
  /** The least Shannon entropy of the sensitive part, in bits per character. */
  entropy: z.number().min(0).max(8).default(0),
  /** Whether the shape alone decides; otherwise a stand-in such as a run of `x` is not a secret. */
  literal: z.boolean().default(false),
  /** One of these words must stand near the match. */
  near: z.array(z.string().min(2).max(40).lowercase()).default([]),
  /** A named test of the match that a pattern cannot express: a checksum, a decoding. */
  check: z.enum(CHECK_NAMES).optional(),
})
export type Rule = z.infer<typeof Rule>
export type RuleInput = z.input<typeof Rule>

/** Where in the original text something sensitive stands. */
export type Finding = {
  readonly type: string
  readonly rule: string
  readonly kind: 'secret' | 'pii'
  readonly start: number
  readonly end: number
}
