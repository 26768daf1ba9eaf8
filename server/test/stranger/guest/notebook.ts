import { appendFileSync } from 'node:fs'
import { channelKind } from '../../kernel/approvals/channel-kind.ts'

export const notebookChannel = channelKind('notebooks', ({ name, file, events }) => ({
  channel: {
    name,
    events,
    async send({ tool_id, state }) {
      appendFileSync(file, `${tool_id} ${state}\n`)
      return 'delivered'
    },
  },
}))
