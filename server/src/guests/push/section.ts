import { z } from 'zod'
import { ChannelEvent, ChannelName, SecretReference } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { SafeUrl } from '../../kernel/contract/http-settings.ts'

/** A topic of an ntfy server, or of a compatible one: a title, a line of text, a URL to open. */
export const PushSettings = z.strictObject({
  name: ChannelName.describe('A name for the channel.'),
  url: SafeUrl.describe('The topic.'),
  token: SecretReference.optional().describe('The token, as `env:NAME` or `file:PATH`.'),
  events: z.array(ChannelEvent).min(1).default(['approval.pending']).describe('The events to send.'),
})
export type PushSettings = z.infer<typeof PushSettings>

declare module '../../kernel/approvals/channels.ts' {
  interface ChannelLists {
    push: PushSettings[]
  }
}

export const section: ConfigSection = {
  channels: {
    push: {
      rank: 120,
      schema: z.array(PushSettings).max(32).default([]).describe('Push messages to phones, in the format of ntfy.'),
    },
  },
}
