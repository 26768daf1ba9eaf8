import type { FlowPolicySource } from '../../kernel/ports/flow-policy.ts'
import type { Guest } from '../../kernel/registries.ts'
import type { FlowSettings } from './flows.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly flowSettings: FlowSettings
    readonly flowPolicy: FlowPolicySource
  }
}

export const flows: Guest = {
  name: 'flows',
  needs: ['models', 'toolflow'],
  runKinds: {
    'flow-execution': async () => (await import('./run-kind.ts')).flowExecutionKind,
  },
}
