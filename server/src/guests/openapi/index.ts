import type { Guest } from '../../kernel/registries.ts'

export const openapi: Guest = {
  name: 'openapi',
}
