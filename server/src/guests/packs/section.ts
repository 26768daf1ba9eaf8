import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'

declare module '../../kernel/contract/config.ts' {
  interface Config {
    /** A folder with packs of your own, relative to the config file's folder. */
    packs?: string | undefined
  }
}

export const section: ConfigSection = {
  folders: ({ packs }) => (packs === undefined ? [] : [packs]),
  top: {
    packs: {
      rank: 510,
      schema: z
        .string()
        .min(1)
        .optional()
        .describe('A folder with packs of your own: descriptions of the tools of servers that you use often.'),
    },
  },
}
