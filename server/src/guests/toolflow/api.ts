import type { RunRow } from '../../kernel/contract/run.ts'
import type { ToolflowState } from './state.ts'

/** Whether a run is a toolflow that has executed its call. */
export const hasExecuted = ({ kind, state }: RunRow): boolean =>
  // The row was written by this kind's own step.
  kind === 'toolflow' && (state as ToolflowState | null)?.call?.status === 'executed'
