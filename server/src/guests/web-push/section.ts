import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { SafeUrl } from '../../kernel/contract/http-settings.ts'

declare module '../../kernel/approvals/channels.ts' {
  interface Channels {
    push_services: string[]
  }
}

export const section: ConfigSection = {
  channels: {
    push_services: {
      rank: 140,
      schema: z
        .array(SafeUrl)
        .max(8)
        .default([])
        .describe(
          'Push services of your own that browsers may use, besides those of Chrome, Firefox, Edge and Safari.',
        ),
    },
  },
}
