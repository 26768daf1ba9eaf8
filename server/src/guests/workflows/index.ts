import type { Guest } from '../../kernel/registries.ts'

export const workflows: Guest = {
  name: 'workflows',
  needs: ['models'],
}
