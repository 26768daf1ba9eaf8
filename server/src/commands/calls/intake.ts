import type { Problem } from '../../contract/problems.ts'

/** Whether the gate takes new calls. Closed while an outcome cannot be recorded, and during shutdown. */
export interface Intake {
  closedBy(): Problem | undefined
  close(problem: Problem): void
  open(): void
}

export function createIntake(): Intake {
  let closed: Problem | undefined
  return {
    closedBy: () => closed,
    close: (problem) => void (closed = problem),
    open: () => void (closed = undefined),
  }
}
