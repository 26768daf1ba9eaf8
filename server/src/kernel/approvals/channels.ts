import { z } from 'zod'
import { PacketDigest, Typed } from '../contract/approval.ts'
import { HttpUrl, SafeUrl } from '../contract/http-settings.ts'

/**
 * The events of a channel. `pending` is a new request, `seconded` an approval if more people are asked, `escalated`: another
 * group is asked too.
 */
export const CHANNEL_EVENTS = [
  'approval.pending',
  'approval.seconded',
  'approval.escalated',
  'approval.approved',
  'approval.consumed',
  'approval.denied',
  'approval.edited',
  'approval.expired',
  'approval.stale',
  'approval.withdrawn',
  // For calls that were held; an unknown outcome is reported for any call.
  'call.executed',
  'call.failed',
  'call.refused',
  'call.unknown',
] as const
export const ChannelEvent = z.enum(CHANNEL_EVENTS)
export type ChannelEvent = z.infer<typeof ChannelEvent>

const ChannelName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name has 1 to 32 lower-case letters, digits and `-`')

/** A secret is referenced, never written out: `env:NAME` or `file:PATH`. */
const SecretReference = z.string().regex(/^(?:env|file):.+$/, 'write a secret as env:NAME or file:PATH')

export const WebhookSettings = z.strictObject({
  name: ChannelName,
  url: HttpUrl,
  /** Signs what is sent. */
  secret: SecretReference,
  events: z.array(ChannelEvent).min(1).default(['approval.pending']),
  /**
   * Lets the other side decide, as this approver and nobody else. Its secret is a different one: what we sign is not a decision.
   */
  callback: z
    .strictObject({
      secret: SecretReference,
      approver: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/),
      /** Its user, if that is not the approver's name. */
      user: z.string().min(1).max(128).optional(),
    })
    .optional(),
})
export type WebhookSettings = z.infer<typeof WebhookSettings>

/** A topic of an ntfy server, or of a compatible one: a title, a line of text, a URL to open. */
export const PushSettings = z.strictObject({
  name: ChannelName,
  url: SafeUrl,
  token: SecretReference.optional(),
  events: z.array(ChannelEvent).min(1).default(['approval.pending']),
})
export type PushSettings = z.infer<typeof PushSettings>

export const RoomId = z.string().regex(/^![^\s]{1,254}$/, 'write the id of the room, which begins with `!`')
export const MatrixUser = z.string().regex(/^@[^\s:]{1,200}:[^\s]{1,200}$/, 'write a Matrix user as @name:server')
const TOLD_IN_CHAT = [
  'approval.pending',
  'approval.approved',
  'approval.denied',
  'approval.edited',
  'approval.expired',
  'approval.stale',
  'approval.withdrawn',
  'call.executed',
  'call.failed',
  'call.unknown',
] as const

/** A Matrix room in which approvers are notified of requests and answer. */
export const MatrixChannelSettings = z
  .strictObject({
    name: ChannelName,
    homeserver: HttpUrl,
    /** The gate's own user there. */
    user: MatrixUser,
    token: SecretReference.optional(),
    /** Instead of a token: each start is a new device, which encrypted rooms need. */
    password: SecretReference.optional(),
    room: RoomId,
    events: z
      .array(ChannelEvent)
      .min(1)
      .default([...TOLD_IN_CHAT]),
    /** Who in the room may decide, and as which approver. Everybody else only reads. */
    people: z.record(
      MatrixUser,
      z.strictObject({
        approver: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/),
        user: z.string().min(1).max(128).optional(),
      }),
    ),
  })
  .refine(
    ({ token, password }) => (token === undefined) !== (password === undefined),
    'give either `token` or `password`',
  )
export type MatrixChannelSettings = z.infer<typeof MatrixChannelSettings>

export const Channels = z
  .strictObject({
    /** Where people reach the console, if that is not the address the gate listens on. */
    url: HttpUrl.optional(),
    webhooks: z.array(WebhookSettings).max(32).default([]),
    push: z.array(PushSettings).max(32).default([]),
    matrix: z.array(MatrixChannelSettings).max(8).default([]),
    /** Your own push services that browsers may use besides those of Chrome, Firefox, Edge and Safari. */
    push_services: z.array(SafeUrl).max(8).default([]),
  })
  .superRefine(({ webhooks, push, matrix }, context) => {
    const names = [...webhooks, ...push, ...matrix].map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `two channels are called \`${twice}\`` })
  })
export type Channels = z.infer<typeof Channels>

/** What the other side of a webhook sends to decide. */
export const CallbackBody = z.discriminatedUnion('decision', [
  z.strictObject({
    approval_id: z.string().min(1).max(128),
    decision: z.literal('approve'),
    /**
     * Of the message. A message that does not show the whole packet has none: such a request is approved where it can be seen.
     */
    digest: PacketDigest,
    /** For a request that is more than simple: what the approver typed, see `confirm` of the message. */
    typed: Typed.optional(),
    reason: z.string().max(500).optional(),
  }),
  z.strictObject({
    approval_id: z.string().min(1).max(128),
    decision: z.literal('deny'),
    reason: z.string().max(500).optional(),
  }),
])
export type CallbackBody = z.infer<typeof CallbackBody>
