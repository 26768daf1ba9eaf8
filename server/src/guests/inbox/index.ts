import type { Guest } from '../../kernel/registries.ts'

export const inbox: Guest = {
  name: 'inbox',
  inbox: async () => (await import('./run-inbox.ts')).runInbox,
}
