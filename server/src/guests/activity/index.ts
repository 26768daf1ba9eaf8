import type { Guest } from '../../kernel/registries.ts'

export const activity: Guest = {
  name: 'activity',
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
