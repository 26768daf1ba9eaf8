import { z } from 'zod'
import { CHECKS } from './checks.ts'

const CHECK_NAMES = Object.keys(CHECKS) as [CheckName, ...CheckName[]]
export type CheckName = keyof typeof CHECKS

/**
 * Where a rule is tried. The finder walks a text once; a rule runs only where that walk found a possible start, so that the work
 * is proportional to the text and not to the text times the number of rules.
 */
const WHERE = [
  'anywhere', // at every position, if one of its keywords occurs at all (or it has none)
  'keyword', // at an occurrence of one of its keywords, `back` characters earlier
  'value', // at the start of a value whose name contains one of its keywords: `HEROKU_KEY = "…"`
  'number', // at the first digit of a word
  'code', // at a word of one to six letters followed by a digit
  'colon', // at a run of hexadecimal groups joined by colons
] as const

/**
 * One kind of sensitive text, as data. The built-in tables and the configuration use the same format. Every pattern is bounded
 * (see `pattern-cost.ts`): a rule that could be slow is rejected when it is compiled.
 */
export const ContentRule = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  /** What the text is replaced by: `[REDACTED_<type>]`. */
  type: z.string().regex(/^[A-Z][A-Z0-9_]{0,39}$/),
  kind: z.enum(['secret', 'pii']),
  at: z.enum(WHERE).default('anywhere'),
  /** Lower-case literals; matching ignores case. */
  keywords: z.array(z.string().min(1).max(40).lowercase()).default([]),
  pattern: z.string().min(1).max(1000),
  ignoreCase: z.boolean().default(false),
  /** Which group of the pattern is the sensitive part; 0 is the whole match. */
  group: z.int().min(0).max(9).default(0),
  /** How many characters before its keyword a match begins. */
  back: z.int().min(0).max(100).default(0),
  /** Whether a match may begin in the middle of a word. */
  glued: z.boolean().default(false),
  /** The minimum Shannon entropy of the sensitive part, in bits per character. */
  entropy: z.number().min(0).max(8).default(0),
  /** Whether the format alone decides; otherwise a placeholder such as a run of `x` is not a secret. */
  literal: z.boolean().default(false),
  /** One of these words must be near the match. */
  near: z.array(z.string().min(2).max(40).lowercase()).default([]),
  /** A named check that a pattern cannot express: a checksum, a decoding. */
  check: z.enum(CHECK_NAMES).optional(),
})
export type ContentRule = z.infer<typeof ContentRule>
export type RuleInput = z.input<typeof ContentRule>

export type CompiledContentRule = ContentRule & {
  readonly order: number
  readonly regex: RegExp
  /** The most steps one attempt can take. */
  readonly cost: number
  /** The length of the shortest match: where less text is left, the rule is not tried. */
  readonly least: number
}

/** Where something sensitive is in the original text. */
export type TextMatch = {
  readonly type: string
  readonly rule: string
  readonly kind: 'secret' | 'pii'
  readonly start: number
  readonly end: number
}
