import type { Guest } from '../../kernel/registries.ts'

export const toolflow: Guest = {
  name: 'toolflow',
  needs: ['search', 'serenity', 'models'],
  runKinds: {
    toolflow: async () => (await import('./run-kind.ts')).toolflowKind,
  },
}
