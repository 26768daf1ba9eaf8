import type { Guest } from '../../kernel/registries.ts'

export const push: Guest = {
  name: 'push',
}
