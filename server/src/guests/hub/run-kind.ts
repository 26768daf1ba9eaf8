import { runKindEntry } from '../../kernel/runs/performer.ts'
import { hubPerformers, type HubEffectPorts } from './hub-effects.ts'
import { hubReport } from './hub-report.ts'

declare module '../../kernel/runs/performer.ts' {
  interface PerformerNeeds {
    readonly hub: HubEffectPorts
  }
}

export const hubReportKind = runKindEntry(hubReport, { performers: hubPerformers })
