import type { ConfigSection } from '../../kernel/contract/config.ts'
import { FlowSettings } from './flows.ts'

declare module '../../kernel/contract/config.ts' {
  interface Config {
    /** Procedures that people and agents work through together. */
    flows: FlowSettings
  }
}

export const section: ConfigSection = {
  top: {
    flows: {
      rank: 950,
      schema: FlowSettings.prefault({}).describe('Procedures that people and agents work through together.'),
    },
  },
}
