import type { Guest } from '../../kernel/registries.ts'

export const webPush: Guest = {
  name: 'web-push',
}
