import { runKindEntry } from '../../kernel/runs/performer.ts'
import { flowExecution } from './execution-step.ts'
import { flowPerformers, type FlowEffectDeps } from './flow-effects.ts'

declare module '../../kernel/runs/performer.ts' {
  interface PerformerNeeds {
    readonly flows: FlowEffectDeps
  }
}

export const flowExecutionKind = runKindEntry(flowExecution, { performers: flowPerformers })
