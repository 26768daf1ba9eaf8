import type { Guest } from '../../kernel/registries.ts'

export const sentences: Guest = {
  name: 'sentences',
}
