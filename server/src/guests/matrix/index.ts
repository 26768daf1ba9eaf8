import type { Guest } from '../../kernel/registries.ts'

export const matrix: Guest = {
  name: 'matrix',
  section: async () => (await import('./section.ts')).section,
  channel: async () => (await import('./matrix-channel.ts')).matrixRoom,
  prepare: async () => (await import('./open-control-room.ts')).prepareMatrix,
}
