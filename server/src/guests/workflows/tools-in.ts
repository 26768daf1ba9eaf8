import type { WorkflowStep } from './workflow-document.ts'
import { toolIdOf } from './tool-names.ts'

/** The ids of all tools that steps name. */
export function toolsIn(steps: readonly WorkflowStep[]): readonly string[] {
  const ids = steps.flatMap((step) => {
    if (step.type === 'for_each') return toolsIn(step.steps)
    return step.type === 'tool' ? [toolIdOf(step.tool) ?? step.tool] : []
  })
  return [...new Set(ids)]
}
