import type { FlowPolicySource } from './flow-policy.ts'
import type { Guest } from '../../kernel/registries.ts'
import type { FlowSettings } from './flows.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly flowSettings: FlowSettings
    readonly flowPolicy: FlowPolicySource
  }
}

export const flows: Guest = {
  name: 'flows',
  problems: async () => (await import('./problems.ts')).FLOW_PROBLEMS,
  needs: ['models', 'toolflow'],
  tables: async () => (await import('./tables.ts')).FLOW_TABLES,
  section: async () => (await import('./section.ts')).section,
  async prepare() {
    const { openFlowPolicy } = await import('./flow-policy-file.ts')
    return ({ config, places, env }) => ({
      ok: true,
      value: { ports: { flowSettings: config.flows, flowPolicy: openFlowPolicy(places.data, env) } },
    })
  },
  runKinds: {
    'flow-execution': async () => (await import('./run-kind.ts')).flowExecutionKind,
  },
  commands: [
    { names: ['flow'], rank: 120, load: async () => (await import('./commands.ts')).addFlowCommands },
    {
      names: [],
      rank: 250,
      under: 'keys create',
      load: async () => (await import('./key-options.ts')).addKeyOptions,
    },
  ],
  judging: async () => (await import('./judging.ts')).judging,
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
  features: async () => (await import('./flow-switches.ts')).features,
  ownTools: async () => (await import('./own-tools.ts')).ownTools,
}
