import type { ArgumentModel } from '../../kernel/ports/argument-model.ts'
import type { AgentModels } from './api.ts'
import type { Guest } from '../../kernel/registries.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly models: AgentModels
    /** Only with a model for the toolflow. */
    readonly argumentModel?: ArgumentModel
  }
}

export const models: Guest = {
  name: 'models',
  section: async () => (await import('./section.ts')).section,
  checks: async () => (await import('./checks.ts')).checks,
  prepare: async () => (await import('./open-models.ts')).prepareModels,
}
