import type { Guest } from '../../kernel/registries.ts'

export const flows: Guest = {
  name: 'flows',
  needs: ['models', 'toolflow'],
  runKinds: {
    'flow-execution': async () => (await import('./run-kind.ts')).flowExecutionKind,
  },
}
