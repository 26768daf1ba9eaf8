import type { Guest } from '../../kernel/registries.ts'
import type { OwnCredentials } from './find-own.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly ownCredentials: () => OwnCredentials
  }
}

export const content: Guest = {
  name: 'content',
  guard: true,
  section: async () => (await import('./section.ts')).section,
  scrubText: async () => (await import('./scrub-text.ts')).scrubText,
}
