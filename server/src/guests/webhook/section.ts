import { z } from 'zod'
import { ChannelEvent, ChannelName, SecretReference } from '../../kernel/approvals/channels.ts'
import { PacketDigest, Typed } from '../../kernel/contract/approval.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HttpUrl } from '../../kernel/contract/http-settings.ts'

export const WebhookSettings = z.strictObject({
  name: ChannelName.describe('A name for the channel.'),
  url: HttpUrl.describe('The address that messages are sent to.'),
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

declare module '../../kernel/approvals/channels.ts' {
  interface ChannelLists {
    webhooks: WebhookSettings[]
  }
}

export const section: ConfigSection = {
  channels: {
    webhooks: {
      rank: 110,
      schema: z.array(WebhookSettings).max(32).default([]).describe('Signed webhooks to other systems.'),
    },
  },
}
