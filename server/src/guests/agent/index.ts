import type { Guest } from '../../kernel/registries.ts'

export const agent: Guest = {
  name: 'agent',
  needs: ['workflows', 'models', 'search'],
  runKinds: {
    agent: async () => (await import('./run-kind.ts')).agentKind,
  },
}
