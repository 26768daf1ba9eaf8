import type { Problem } from '../../contract/problems.ts'

/** Whether the gate takes new calls. Closed while an outcome cannot be recorded, and during shutdown. */
export interface Intake {
  closedBy(): Problem | undefined
  close(problem: Problem): void
  open(): void
}

/** `standing`: what keeps it closed for as long as it lasts, whatever else opens it. */
export function createIntake(standing: () => Problem | undefined = () => undefined): Intake {
  let closed: Problem | undefined
  return {
    closedBy: () => closed ?? standing(),
    close: (problem) => void (closed = problem),
    open: () => void (closed = undefined),
  }
}
