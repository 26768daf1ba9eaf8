import type { Guest } from '../../kernel/registries.ts'

export const push: Guest = {
  name: 'push',
  section: async () => (await import('./section.ts')).section,
  channel: async () => (await import('./push.ts')).pushChannel,
}
