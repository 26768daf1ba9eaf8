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
  name: ChannelName.describe('A name for the channel.'),
  url: HttpUrl.describe('Where messages go.'),
  /** Signs what is sent. */
  secret: SecretReference.describe('The signing secret, as `env:NAME` or `file:PATH`.'),
  events: z.array(ChannelEvent).min(1).default(['approval.pending']).describe('The events to send.'),
  /**
   * Lets the other side decide, as this approver and nobody else. Its secret is a different one: what we sign is not a decision.
   */
  callback: z
    .strictObject({
      secret: SecretReference.describe('The secret that they are signed with.'),
      approver: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/)
        .describe('The approver who makes these decisions.'),
      user: z.string().min(1).max(128).optional().describe('The user of that approver.'),
    })
    .optional()
    .describe('Signed decisions that are sent back.'),
})
export type WebhookSettings = z.infer<typeof WebhookSettings>

/** A topic of an ntfy server, or of a compatible one: a title, a line of text, a URL to open. */
export const PushSettings = z.strictObject({
  name: ChannelName.describe('A name for the channel.'),
  url: SafeUrl.describe('The topic.'),
  token: SecretReference.optional().describe('The token, as `env:NAME` or `file:PATH`.'),
  events: z.array(ChannelEvent).min(1).default(['approval.pending']).describe('The events to send.'),
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
    name: ChannelName.describe('A name for the channel.'),
    homeserver: HttpUrl.describe('The address of the homeserver.'),
    user: MatrixUser.describe("The gate's own user there."),
    token: SecretReference.optional().describe(
      'Its access token, as `env:NAME` or `file:PATH`. Encrypted rooms need a password instead.',
    ),
    /** Instead of a token: each start is a new device, which encrypted rooms need. */
    password: SecretReference.optional().describe(
      'Its password, as `env:NAME` or `file:PATH`: each start is a new device.',
    ),
    room: RoomId.describe('The id of the room, which begins with `!`. The gate accepts the invitation.'),
    events: z
      .array(ChannelEvent)
      .min(1)
      .default([...TOLD_IN_CHAT])
      .describe('The events to send.'),
    people: z
      .record(
        MatrixUser,
        z.strictObject({
          approver: z
            .string()
            .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/)
            .describe('The approver who makes these decisions.'),
          user: z.string().min(1).max(128).optional().describe('The person behind that approver.'),
        }),
      )
      .describe('The Matrix users who may decide. Everybody else in the room only reads.'),
  })
  .refine(
    ({ token, password }) => (token === undefined) !== (password === undefined),
    'give either `token` or `password`',
  )
export type MatrixChannelSettings = z.infer<typeof MatrixChannelSettings>

export const Channels = z
  .strictObject({
    url: HttpUrl.optional().describe('The address of the console as people reach it.'),
    webhooks: z.array(WebhookSettings).max(32).default([]).describe('Signed webhooks to other systems.'),
    push: z.array(PushSettings).max(32).default([]).describe('Push messages to phones, in the format of ntfy.'),
    matrix: z
      .array(MatrixChannelSettings)
      .max(8)
      .default([])
      .describe('Matrix rooms in which approvers are notified of requests and answer.'),
    push_services: z
      .array(SafeUrl)
      .max(8)
      .default([])
      .describe('Push services of your own that browsers may use, besides those of Chrome, Firefox, Edge and Safari.'),
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
