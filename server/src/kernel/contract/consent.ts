import { z } from 'zod'
import { ApprovalId, ConsentId, KeyId, Sha256 } from './ids.ts'
import type { Json } from './json.ts'

/** The upper limits of one consent, in one place. There is no "unlimited". */
export const CONSENT_LIMITS = {
  calls: 1_000,
  cost: 1_000_000_000,
  /** Thirty days. */
  expires_in_s: 2_592_000,
  constraints: 32,
  choices: 100,
  lanes: 16,
  /** Active consents for one actor; the same number again for all actors that are patterns. */
  active: 100,
} as const

/** RFC 6901; the empty string is all arguments together. */
const JsonPointer = z
  .string()
  .max(256)
  .regex(/^(\/([^~/]|~[01])*)*$/)

/** Not copied: a copy could lose a key called `__proto__`, and then two different values would be equal. */
const Value = z.unknown().refine((value): value is Json => value !== undefined, 'a value is missing')

/** A prefix that ends inside a host name would also match every longer name. */
const OPEN_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*$/i
const Prefix = z
  .string()
  .min(1)
  .max(1_000)
  .refine((value) => !OPEN_HOST.test(value), 'a prefix of an address must include the `/` after the host')

const at = { path: JsonPointer }

/**
 * What one argument may be. All constraints must hold, and an argument without a constraint is not permitted: `any` names one and
 * leaves it open. A list matches `in`, `prefix`, `min` and `max` if it has members and each one matches.
 */
export const Constraint = z.discriminatedUnion('op', [
  z.strictObject({ ...at, op: z.literal('equals'), value: Value }),
  z.strictObject({ ...at, op: z.literal('in'), value: z.array(Value).min(1).max(CONSENT_LIMITS.choices) }),
  z.strictObject({ ...at, op: z.literal('prefix'), value: Prefix }),
  z.strictObject({ ...at, op: z.literal('min'), value: z.number() }),
  z.strictObject({ ...at, op: z.literal('max'), value: z.number() }),
  z.strictObject({ ...at, op: z.literal('any') }),
])
export type Constraint = z.infer<typeof Constraint>

const Constraints = z.array(Constraint).max(CONSENT_LIMITS.constraints)
const Name = z.string().min(1).max(128)

/** Who: `caller:` with a caller's id or a glob over ids, or `user:` with the caller's user. */
export const ConsentActor = z.templateLiteral([z.enum(['caller', 'user']), ':', Name], {
  error: 'write `caller:` and a caller, such as `caller:agent:claude`, or `user:` and a user name',
})
export type ConsentActor = z.infer<typeof ConsentActor>

export const ConsentWhat = z.strictObject({
  /** A tool id, or a glob over the tools of one fully named server: `mail__send`, `mail__*`. */
  tool: Name.regex(/^[^*?]+?__.+$/, 'a tool pattern must contain the full server name: `server__tool` or `server__*`'),
  args: Constraints,
  /** Only while the tool has exactly this definition. */
  definition_hash: Sha256.optional(),
})
export type ConsentWhat = z.infer<typeof ConsentWhat>

const bounds = {
  calls: z.int().positive().max(CONSENT_LIMITS.calls),
  /** In the units of the tools' `cost`. */
  cost: z.int().positive().max(CONSENT_LIMITS.cost).optional(),
  expires_in_s: z.int().positive().max(CONSENT_LIMITS.expires_in_s),
}

/** What must be given to mint a consent. Calls and time have no default, so that the limits are chosen deliberately. */
export const ConsentTerms = z.strictObject({
  actor: ConsentActor,
  /** Only while this is the caller's user. Without it, every user's caller that matches the actor. */
  user: Name.optional(),
  what: ConsentWhat,
  /** Globs over model lanes; then a call without a lane is not covered. */
  lanes: z.array(Name).min(1).max(CONSENT_LIMITS.lanes).optional(),
  ...bounds,
})
export type ConsentTerms = z.infer<typeof ConsentTerms>

/** Approve and remember: the limits, and which arguments; without `args` exactly the approved ones. */
export const Remember = z.strictObject({ ...bounds, args: Constraints.optional() })
export type Remember = z.infer<typeof Remember>

/** A limited permission given in advance. Its units are in the account `consent:<id>`, its row contains the rest. */
export const ConsentRow = z.strictObject({
  v: z.literal(1),
  consent_id: ConsentId,
  actor: ConsentActor,
  user: Name.optional(),
  what: ConsentWhat,
  lanes: z.array(Name).optional(),
  calls: z.int(),
  cost: z.int().optional(),
  minted_by: z.string(),
  /** The person who gave it. Absent in rows of releases that did not store it. */
  minted_user: z.string().optional(),
  /** The key it was given with, with which it ends. Absent if it was given without one of our keys. */
  minted_key: KeyId.optional(),
  minted_at: z.number(),
  expires_at: z.number(),
  from_approval: ApprovalId.optional(),
  revoked_by: z.string().optional(),
  revoked_at: z.number().optional(),
  /**
   * The index key under which a decision finds it: the actor itself, `patterns`, or `closed` if it can never cover a call again.
   */
  shelf: z.string(),
})
export type ConsentRow = z.infer<typeof ConsentRow>

export const ConsentState = z.enum(['active', 'exhausted', 'expired', 'revoked'])
export type ConsentState = z.infer<typeof ConsentState>

/** A consent as people see it: with what is left of it. */
export type ConsentView = Omit<ConsentRow, 'shelf'> & {
  readonly state: ConsentState
  readonly calls_left: number
  readonly cost_left?: number
}
