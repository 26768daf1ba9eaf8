import type { Guest } from '../../kernel/registries.ts'

export const activity: Guest = {
  name: 'activity',
  commands: [{ names: ['calls'], rank: 90, load: async () => (await import('./commands.ts')).addCallsCommand }],
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
