import type { Guest } from '../../kernel/registries.ts'
import type { AgentSettings } from './agent.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly agentSettings: AgentSettings
  }
}

export const agent: Guest = {
  name: 'agent',
  problems: async () => (await import('./problems.ts')).AGENT_PROBLEMS,
  section: async () => (await import('./section.ts')).section,
  needs: ['workflows', 'models'],
  prepare: async () => (await import('./prepare-agent.ts')).prepareAgent,
  runKinds: {
    agent: async () => (await import('./run-kind.ts')).agentKind,
  },
  commands: [{ names: ['agent'], rank: 140, load: async () => (await import('./commands.ts')).addAgentCommands }],
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
  features: async () => (await import('./features.ts')).features,
}
