import type { Guest } from '../../kernel/registries.ts'

export const activity: Guest = {
  name: 'activity',
}
