import type { Guest } from '../../kernel/registries.ts'

export const models: Guest = {
  name: 'models',
}
