import { runKindEntry } from '../../kernel/runs/performer.ts'
import { toolflow } from './step.ts'
import { toolflowPerformers, type ToolflowEffectPorts } from './toolflow-effects.ts'

declare module '../../kernel/runs/performer.ts' {
  interface PerformerNeeds {
    readonly toolflow: ToolflowEffectPorts
  }
}

export const toolflowKind = runKindEntry(toolflow, { performers: toolflowPerformers })
