import { z } from 'zod'
import { KeyId } from './ids.ts'

export const PUSH_LIMITS = { per_user: 16 } as const

/** A browser's own keys (RFC 8291): an uncompressed P-256 point and 16 bytes. */
const P256dh = z.string().regex(/^[A-Za-z0-9_-]{87}$/, 'an uncompressed P-256 point as base64url')
const Auth = z.string().regex(/^[A-Za-z0-9_-]{22}$/, '16 bytes as base64url')

export const PushBody = z.strictObject({
  /** Over TLS, or a push service of the operator on this machine. */
  endpoint: z.url({ protocol: /^https?$/ }).max(1_000),
  /** Ignored: browsers send it along. */
  expirationTime: z.number().nullish(),
  keys: z.strictObject({ p256dh: P256dh, auth: Auth }),
  name: z.string().trim().min(1).max(64),
})
export type PushBody = z.infer<typeof PushBody>

/** A browser in which a person enabled notifications. */
export const PushRow = z.strictObject({
  v: z.literal(1),
  push_id: z.string(),
  user: z.string(),
  /** Who subscribed it. A person who may no longer decide gets no messages. */
  caller: z.string(),
  /** The key they used. */
  key: KeyId.optional(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  name: z.string(),
  created_at: z.number(),
  /** When it was unsubscribed, or when its push service reported it as gone. */
  ended_at: z.number().optional(),
})
export type PushRow = z.infer<typeof PushRow>

export const PushSubscriptionAnswer = z.object({
  push_id: z.string(),
  name: z.string(),
  /** Where its messages are sent. */
  host: z.string(),
  created_at: z.number(),
})
export type PushSubscriptionAnswer = z.infer<typeof PushSubscriptionAnswer>

/** `public_key` is the `applicationServerKey` of `pushManager.subscribe`. */
export const PushAnswer = z.object({ public_key: z.string(), items: z.array(PushSubscriptionAnswer) })
export type PushAnswer = z.infer<typeof PushAnswer>

/** What arrives on the phone, encrypted. No argument, no tool output, nothing that an agent wrote. */
export const PushPayload = z.object({
  title: z.string(),
  body: z.string(),
  url: z.string(),
  approval_id: z.string().optional(),
})
export type PushPayload = z.infer<typeof PushPayload>
