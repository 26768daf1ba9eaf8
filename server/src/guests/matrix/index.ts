import type { Guest } from '../../kernel/registries.ts'

export const matrix: Guest = {
  name: 'matrix',
}
