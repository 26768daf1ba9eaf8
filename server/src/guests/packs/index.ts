import type { Guest } from '../../kernel/registries.ts'

export const packs: Guest = {
  name: 'packs',
  effects: async () => (await import('./read-packs.ts')).packedEffects,
}
