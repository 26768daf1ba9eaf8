import { runKindEntry } from '../../kernel/runs/performer.ts'
import { flowExecution } from './execution-step.ts'
import { flowPerformers, type FlowEffectPorts } from './flow-effects.ts'

declare module '../../kernel/runs/performer.ts' {
  interface PerformerNeeds {
    readonly flows: FlowEffectPorts
  }
}

export const flowExecutionKind = runKindEntry(flowExecution, { performers: flowPerformers })
