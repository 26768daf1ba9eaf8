import type { Guest } from '../../kernel/registries.ts'

export const provenance: Guest = {
  name: 'provenance',
  guard: true,
  section: async () => (await import('./provenance.ts')).section,
  judging: async () => (await import('./judging.ts')).judging,
  commands: [{ names: ['why'], rank: 72, load: async () => (await import('./commands.ts')).addWhyCommand }],
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
