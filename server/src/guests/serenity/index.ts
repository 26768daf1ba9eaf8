import type { HealthEvidence } from './health-evidence.ts'
import type { Guest } from '../../kernel/registries.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    /** Only with a `serenity` section. */
    readonly health?: HealthEvidence
  }
}

export const serenity: Guest = {
  name: 'serenity',
  section: async () => (await import('./section.ts')).section,
  checks: async () => (await import('./checks.ts')).checks,
  prepare: async () => (await import('./open-serenity.ts')).prepareSerenity,
  judging: async () => (await import('./judging.ts')).judging,
}
