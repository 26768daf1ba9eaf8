import type { Guest } from '../../kernel/registries.ts'

export const hooks: Guest = {
  name: 'hooks',
}
