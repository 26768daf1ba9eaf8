import type { Guest } from '../../kernel/registries.ts'

export const risk: Guest = {
  name: 'risk',
  guard: true,
  prepare: async () => (await import('./inferred-effects.ts')).prepareRisk,
}
