import type { Guest } from '../../kernel/registries.ts'

export const search: Guest = {
  name: 'search',
  tables: async () => [(await import('./habits-table.ts')).habitsTable],
  section: async () => (await import('./section.ts')).section,
  ranker: async () => (await import('./open-ranker.ts')).prepareRanker,
}
