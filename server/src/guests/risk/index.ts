import type { Guest } from '../../kernel/registries.ts'

export const risk: Guest = {
  name: 'risk',
  guard: true,
  effects: async () => (await import('./inferred-effects.ts')).inferredEffects,
}
