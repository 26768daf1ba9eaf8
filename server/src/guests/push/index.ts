import type { Guest } from '../../kernel/registries.ts'

export const push: Guest = {
  name: 'push',
  channel: async () => (await import('./push.ts')).pushChannel,
}
