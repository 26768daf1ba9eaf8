import type { Guest } from '../../kernel/registries.ts'

export const commands: Guest = {
  name: 'commands',
}
