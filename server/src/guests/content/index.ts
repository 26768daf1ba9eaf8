import type { Guest } from '../../kernel/registries.ts'

export const content: Guest = {
  name: 'content',
  guard: true,
}
