import type { Guest } from '../../kernel/registries.ts'

export const serenity: Guest = {
  name: 'serenity',
}
