import type { Guest } from '../../kernel/registries.ts'

export const sandbox: Guest = {
  name: 'sandbox',
  needs: ['content'],
  guard: true,
}
