import type { Problem } from '../../contract/problems.ts'

/** Whether the gate takes new calls. Closed while an outcome cannot be recorded, and during shutdown. */
export interface Intake {
  closedBy(): Problem | undefined
  /** Closes it for this reason, whatever other reasons there are. Returns how to take the reason away; the others stay. */
  close(problem: Problem): () => void
}

/** `standing`: what keeps it closed for as long as it lasts, whatever else opens it. */
export function createIntake(standing: () => Problem | undefined = () => undefined): Intake {
  const reasons = new Set<{ readonly problem: Problem }>()
  return {
    closedBy() {
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
