import type { Guest } from '../../kernel/registries.ts'

export const toolflow: Guest = {
  name: 'toolflow',
  needs: ['search', 'serenity', 'models'],
}
