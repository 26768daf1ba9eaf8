import { z } from 'zod'
import { ChannelEvent, ChannelName } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'

export const NotebookSettings = z.strictObject({
  name: ChannelName.describe('A name for the channel.'),
  file: z.string().min(1).describe('The file that requests are noted in.'),
  events: z.array(ChannelEvent).min(1).default(['approval.pending']).describe('The events to note.'),
})
export type NotebookSettings = z.infer<typeof NotebookSettings>

declare module '../../kernel/approvals/channels.ts' {
  interface ChannelLists {
    notebooks: NotebookSettings[]
  }
}

export const section: ConfigSection = {
  channels: {
    notebooks: {
      rank: 900,
      schema: z.array(NotebookSettings).max(32).default([]).describe('Files that requests are noted in.'),
    },
  },
}
