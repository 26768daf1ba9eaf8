import type { Guest } from '../../kernel/registries.ts'

export const search: Guest = {
  name: 'search',
  tables: async () => [(await import('./habits-table.ts')).habitsTable],
  section: async () => (await import('./section.ts')).section,
  checks: async () => (await import('./checks.ts')).checks,
  prepare: async () => (await import('./open-ranker.ts')).prepareSearch,
}
