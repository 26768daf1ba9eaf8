import type { Guest } from '../../kernel/registries.ts'

export const inbox: Guest = {
  name: 'inbox',
}
