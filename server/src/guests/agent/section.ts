import type { ConfigSection } from '../../kernel/contract/config.ts'
import { AgentSettings } from './agent.ts'

declare module '../../kernel/contract/config.ts' {
  interface Config {
    /** Limits of the agent runtime. */
    agent: AgentSettings
  }
}

export const section: ConfigSection = {
  top: { agent: { rank: 940, schema: AgentSettings.prefault({}).describe('Limits of the built-in agent.') } },
}
