import type { Guest } from '../../kernel/registries.ts'

export const hub: Guest = {
  name: 'hub',
  runKinds: {
    'hub-report': async () => (await import('./run-kind.ts')).hubReportKind,
  },
}
