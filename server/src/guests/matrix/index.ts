import type { Guest } from '../../kernel/registries.ts'

export const matrix: Guest = {
  name: 'matrix',
  channel: async () => (await import('./matrix-channel.ts')).matrixRoom,
  prepare: async () => (await import('./open-control-room.ts')).prepareMatrix,
}
