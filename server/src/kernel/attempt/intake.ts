import type { Problem } from '../contract/problems.ts'

/** Whether the gate accepts new calls. Closed while an outcome cannot be recorded, and during shutdown. */
export interface Intake {
  closedBy(): Problem | undefined
  /** Closes it for this reason, in addition to any other reasons. Returns a function that removes the reason; the others stay. */
  close(problem: Problem): () => void
}

/** `standing`: a condition that keeps it closed as long as it returns a problem, independent of the other reasons. */
export function createIntake(standing: () => Problem | undefined = () => undefined): Intake {
  const reasons = new Set<{ readonly problem: Problem }>()
  return {
    closedBy() {
      if (reasons.size === 0) return standing()
      const all = [...reasons]
      const stopping = all.find(({ problem }) => problem.code === 'gate.stopping')
      return (stopping ?? all[0])?.problem ?? standing()
    },
    close(problem) {
      const reason = { problem }
      reasons.add(reason)
      return () => void reasons.delete(reason)
    },
  }
}
