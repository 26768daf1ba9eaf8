import type { Guest } from '../../kernel/registries.ts'

export const provenance: Guest = {
  name: 'provenance',
  guard: true,
}
