import type { Guest } from '../../kernel/registries.ts'

export const workflows: Guest = {
  name: 'workflows',
  needs: ['models'],
  runKinds: {
    workflow: async () => (await import('./run-kinds.ts')).workflowKind,
    'workflow-schedules': async () => (await import('./run-kinds.ts')).schedulesKind,
  },
}
