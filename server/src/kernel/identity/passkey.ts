import { z } from 'zod'

const Base64Url = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[A-Za-z0-9_-]+$/)

export const PASSKEY_LIMITS = { per_user: 16, challenge_ms: 120_000 } as const

export const PasskeyRow = z.strictObject({
  v: z.literal(1),
  passkey_id: Base64Url(1_400),
  user: z.string(),
  public_key: Base64Url(4_000),
  /** Increases with every use, if the authenticator counts. */
  counter: z.number().int().min(0),
  transports: z.array(z.string().max(32)).max(8),
  name: z.string().max(64),
  created_at: z.number(),
  used_at: z.number().optional(),
  revoked_at: z.number().optional(),
})
export type PasskeyRow = z.infer<typeof PasskeyRow>

/** A browser's answer to `navigator.credentials.create`, as JSON. Other fields are ignored. */
export const PasskeyRegistration = z.object({
  id: Base64Url(1_400),
  rawId: Base64Url(1_400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Base64Url(8_000),
    attestationObject: Base64Url(16_000),
    transports: z.array(z.string().max(32)).max(8).optional(),
  }),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
})
export type PasskeyRegistration = z.infer<typeof PasskeyRegistration>

/** A browser's answer to `navigator.credentials.get`, as JSON. */
export const PasskeyAssertion = z.object({
  id: Base64Url(1_400),
  rawId: Base64Url(1_400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Base64Url(8_000),
    authenticatorData: Base64Url(8_000),
    signature: Base64Url(4_000),
    userHandle: Base64Url(1_400).nullish(),
  }),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
})
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>

/** For a request that gives permission in somebody's name: proof that it is them, one of the two. */
export const Proof = z.strictObject({
  passphrase: z.string().max(256).optional(),
  passkey: PasskeyAssertion.optional(),
})
export type Proof = z.infer<typeof Proof>

/** The request that a passkey is going to confirm, without the proof itself. */
export const GrantToConfirm = z.strictObject({
  method: z.enum(['POST', 'DELETE']).default('POST'),
  path: z.string().min(1).max(2_000),
  body: z.record(z.string(), z.unknown()).default({}),
})
export type GrantToConfirm = z.infer<typeof GrantToConfirm>

/** With `current`, or an assertion of an existing passkey: a stolen key alone adds none for a person who already has a proof. */
export const PasskeyBody = z.strictObject({
  name: z.string().trim().min(1).max(64),
  response: PasskeyRegistration,
  ...Proof.shape,
})
export type PasskeyBody = z.infer<typeof PasskeyBody>

export const PasskeyAnswer = z.object({
  passkey_id: z.string(),
  name: z.string(),
  created_at: z.number(),
  used_at: z.number().optional(),
})
export type PasskeyAnswer = z.infer<typeof PasskeyAnswer>

/** For `PublicKeyCredential.parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`. */
export const PasskeyOptions = z.object({ challenge: z.string() }).loose()
export type PasskeyOptions = z.infer<typeof PasskeyOptions>
