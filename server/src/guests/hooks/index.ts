import type { Guest } from '../../kernel/registries.ts'
import type { OwnServer } from './judge-tool-use.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly ownServer: OwnServer
  }
}

export const hooks: Guest = {
  name: 'hooks',
  problems: async () => (await import('./problems.ts')).HOOK_PROBLEMS,
  prepare: async () => (await import('./prepare-hooks.ts')).prepareHooks,
  decidingFiles: async () => (await import('./hook-places.ts')).decidingFiles,
  clientHooks: async () => (await import('./client-hooks.ts')).clientHooks,
  commands: [{ names: ['hook'], rank: 50, load: async () => (await import('./commands.ts')).addHookCommand }],
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
  sweep: async () => (await import('./end-unreported.ts')).endUnclaimed,
}
