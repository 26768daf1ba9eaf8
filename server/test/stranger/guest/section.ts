import { z } from 'zod'
import { ChannelEvent, ChannelName } from '../../kernel/approvals/channels.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'

export const NotebookSettings = z.strictObject({
  name: ChannelName.describe('A name for the channel.'),
  file: z.string().min(1).describe('The file that requests are noted in.'),
  events: z.array(ChannelEvent).min(1).default(['approval.pending']).describe('The events to note.'),
})
export type NotebookSettings = z.infer<typeof NotebookSettings>

const Stranger = z.strictObject({
  says: z.string().min(1).default('nobody is at home').describe('What somebody who knocks is told.'),
})

declare module '../../kernel/contract/config.ts' {
  interface Config {
    stranger: z.infer<typeof Stranger>
  }
}
declare module '../../kernel/approvals/channels.ts' {
  interface ChannelLists {
    notebooks: NotebookSettings[]
  }
}

export const section: ConfigSection = {
  top: { stranger: { rank: 2_000, schema: Stranger.prefault({}).describe('What happens to those who knock.') } },
  channels: {
    notebooks: {
      rank: 900,
      schema: z.array(NotebookSettings).max(32).default([]).describe('Files that requests are noted in.'),
    },
  },
}
