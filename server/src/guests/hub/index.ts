import type { Guest } from '../../kernel/registries.ts'

export const hub: Guest = {
  name: 'hub',
}
