import type { Guest } from '../../kernel/registries.ts'

export const shell: Guest = {
  name: 'shell',
  guard: true,
  judging: async () => (await import('./judging.ts')).judging,
}
