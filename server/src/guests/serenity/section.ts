import type { ConfigSection } from '../../kernel/contract/config.ts'
import { Serenity } from './serenity.ts'

declare module '../../kernel/contract/config.ts' {
  interface Config {
    /** Health data for the `health` decider; without it, that decider has no opinion. */
    serenity?: Serenity | undefined
  }
}

export const section: ConfigSection = {
  top: {
    serenity: {
      rank: 970,
      schema: Serenity.optional().describe(
        'Health data for the `health` decider; without it, that decider has no opinion.',
      ),
    },
  },
}
