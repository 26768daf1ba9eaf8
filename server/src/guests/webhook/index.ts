import type { Guest } from '../../kernel/registries.ts'

export const webhook: Guest = {
  name: 'webhook',
}
