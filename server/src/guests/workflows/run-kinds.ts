import { runKindEntry } from '../../kernel/runs/performer.ts'
import { schedulesPerformers, type SchedulesPorts, schedules } from './schedules.ts'
import { workflow } from './step.ts'
import { workflowPerformers, type WorkflowEffectPorts } from './workflow-effects.ts'

declare module '../../kernel/runs/performer.ts' {
  interface PerformerNeeds {
    readonly workflows: WorkflowEffectPorts & SchedulesPorts
  }
}

export const workflowKind = runKindEntry(workflow, { performers: workflowPerformers })

export const schedulesKind = runKindEntry(schedules, {
  performers: schedulesPerformers,
  /** Goes on with the first time after now: what was due in between may have been started. */
  restored: async (_, { now }) => ({ continues: { type: 'schedules.restored', now } }),
})
