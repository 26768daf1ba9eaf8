import type { Guest } from '../../kernel/registries.ts'

export const sandbox: Guest = {
  name: 'sandbox',
  guard: true,
  files: async () => (await import('./local-files.ts')).localFiles,
  section: async () => (await import('./section.ts')).section,
  judging: async () => (await import('./judging.ts')).judging,
}
