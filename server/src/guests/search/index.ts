import type { Guest } from '../../kernel/registries.ts'

export const search: Guest = {
  name: 'search',
  ranker: async () => (await import('./open-ranker.ts')).prepareRanker,
}
