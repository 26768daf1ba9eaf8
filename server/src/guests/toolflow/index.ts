import type { Guest } from '../../kernel/registries.ts'
import type { ToolflowSettings } from './toolflow.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly toolflow: ToolflowSettings
  }
}

export const toolflow: Guest = {
  name: 'toolflow',
  problems: async () => (await import('./problems.ts')).TOOLFLOW_PROBLEMS,
  section: async () => (await import('./section.ts')).section,
  needs: ['serenity'],
  uses: ['models'],
  prepare:
    async () =>
    ({ config }) => ({ ok: true, value: { ports: { toolflow: config.toolflow } } }),
  runKinds: {
    toolflow: async () => (await import('./run-kind.ts')).toolflowKind,
  },
  generated: async () => (await import('./generated.ts')).generated,
  commands: [
    { names: ['run', 'resume'], rank: 110, load: async () => (await import('./commands.ts')).addToolflowCommands },
  ],
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
