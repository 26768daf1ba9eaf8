import type { Guest } from '../../kernel/registries.ts'

export const shell: Guest = {
  name: 'shell',
  needs: ['sandbox'],
  guard: true,
}
