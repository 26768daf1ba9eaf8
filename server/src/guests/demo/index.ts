import type { Guest } from '../../kernel/registries.ts'

export const demo: Guest = {
  name: 'demo',
}
