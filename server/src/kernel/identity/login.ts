import { z } from 'zod'
import { Caller, CallerKind } from '../contract/caller.ts'
import { Sha256 } from '../contract/ids.ts'

/** How long a login of the console lasts without a request, and at most. */
export const LOGIN_LIMITS = { idle_ms: 3_600_000, longest_ms: 43_200_000, per_user: 32 } as const

export const LOGIN_COOKIE = 'sluice_login'
export const CSRF_HEADER = 'x-csrf-token'
/** Where issuers redirect browsers to: a page of the console, which completes the login. */
export const OIDC_CALLBACK = '/v1/login/oidc/callback'

/** A login of the console. The cookie itself is stored only as a digest, which is the row's id. */
export const LoginRow = z.strictObject({
  v: z.literal(1),
  login_id: Sha256,
  caller: Caller,
  /** The caller's, so that all logins of a person can be found. */
  user: z.string(),
  how: z.enum(['key', 'oidc']),
  created_at: z.number(),
  /** Updated at most once a minute. */
  seen_at: z.number(),
  expires_at: z.number(),
  ended_at: z.number().optional(),
})
export type LoginRow = z.infer<typeof LoginRow>

export const LoginBody = z.strictObject({ key: z.string().min(1).max(512) })
export type LoginBody = z.infer<typeof LoginBody>

/**
 * A secret that a page of the gate keeps in the browser's storage, from the start of a login to its end. Storage belongs to one origin,
 * while cookies are shared by all ports of a host: another program on this machine can set them.
 */
const BrowserSecret = z.string().regex(/^[\w-]{43}$/, '32 random bytes in base64url')

export const OidcStartBody = z.strictObject({ issuer: z.string().max(64), browser: BrowserSecret })
/** Where the browser goes next. */
export const OidcStartAnswer = z.object({ url: z.string() })
/** The parameters that the issuer sent the browser back with, and the secret that it began with. */
export const OidcReturnBody = z.strictObject({
  browser: BrowserSecret,
  state: z.string().max(512).optional(),
  code: z.string().max(4_096).optional(),
  iss: z.string().max(2_048).optional(),
  error: z.string().max(256).optional(),
})

/** Who is logged in. `csrf` is repeated in the header `x-csrf-token` of every request that changes something. */
export const LoginAnswer = z.object({
  caller: z.object({ kind: CallerKind, id: z.string(), user: z.string() }),
  how: z.enum(['key', 'oidc', 'credential']),
  csrf: z.string().optional(),
  expires_at: z.number().optional(),
  idle_ms: z.number().optional(),
  /** How this person can prove their identity, for strong approvals. */
  proofs: z.object({
    passphrase: z.boolean(),
    passkeys: z.number().int(),
    /** Whether one of them is required for every strong approval. */
    needed: z.boolean(),
  }),
})
export type LoginAnswer = z.infer<typeof LoginAnswer>

/** Whether somebody is logged in in the browser that asks. */
export const LoginHereAnswer = z.object({ login: LoginAnswer.optional() })
export type LoginHereAnswer = z.infer<typeof LoginHereAnswer>

/** The ways to log in: with a key, and with these issuers (`POST /v1/login/oidc`). */
export const LoginMethodsAnswer = z.object({
  key: z.literal(true),
  oidc: z.array(z.object({ name: z.string() })),
})
export type LoginMethodsAnswer = z.infer<typeof LoginMethodsAnswer>

export const LoggedOutAnswer = z.object({ ended: z.number().int() })
