import type { Guest } from '../../kernel/registries.ts'
import type { FileFacts } from '../../kernel/ports/files.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly files: FileFacts
  }
}

export const sandbox: Guest = {
  name: 'sandbox',
  guard: true,
  section: async () => (await import('./section.ts')).section,
  judging: async () => (await import('./judging.ts')).judging,
}
