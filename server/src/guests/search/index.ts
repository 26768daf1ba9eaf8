import type { Guest } from '../../kernel/registries.ts'

export const search: Guest = {
  name: 'search',
}
