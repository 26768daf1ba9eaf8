import type { Guest } from '../../kernel/registries.ts'
import type { KnownPack } from './match-pack.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    /** What is known about well-known tool servers. */
    readonly packs: readonly KnownPack[]
  }
}

export const packs: Guest = {
  name: 'packs',
  section: async () => (await import('./section.ts')).section,
  checks: async () => (await import('./checks.ts')).checks,
  prepare: async () => (await import('./read-packs.ts')).preparePacks,
  commands: [{ names: ['packs'], rank: 260, load: async () => (await import('./commands.ts')).addPackCommands }],
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
