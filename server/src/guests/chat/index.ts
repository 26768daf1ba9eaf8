import type { Guest } from '../../kernel/registries.ts'

export const chat: Guest = {
  name: 'chat',
  prepare: async () => (await import('./answer-rooms.ts')).prepareChat,
}
