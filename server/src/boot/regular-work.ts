import type { Swept } from '../commands/retention/sweep-expired.ts'
import { PROBLEMS, type Problem } from '../contract/problems.ts'
import type { Log } from './log.ts'

const FIRST_SWEEP_MS = 60_000
const SWEEP_EVERY_MS = 3_600_000

/** Soon after the start and then every hour; a sweep that fails is tried again the next time. */
export function sweepRegularly(sweep: () => Promise<Swept>, log: Log): { stop(): Promise<void> } {
  let running: Promise<void> | undefined
  const run = () => {
    running ??= sweep()
      .then(
        (swept) =>
          swept.calls + swept.journals + swept.artifacts > 0
            ? log('info', 'expired arguments and outputs were deleted', swept)
            : undefined,
        (error: unknown) =>
          log('error', 'expired arguments and outputs could not be deleted', { error: String(error) }),
      )
      .finally(() => (running = undefined))
  }
  const first = setTimeout(run, FIRST_SWEEP_MS)
  const later = setInterval(run, SWEEP_EVERY_MS)
  return {
    async stop() {
      clearTimeout(first)
      clearInterval(later)
      await running
    },
  }
}

/** Says at once that nothing is signed, and again as often as a checkpoint would be due. */
export function complainer(log: Log, every_ms: number): (problem: Problem) => void {
  let last = Number.NEGATIVE_INFINITY
  return ({ code, about }) => {
    if (performance.now() - last < every_ms) return
    last = performance.now()
    log('error', `no checkpoint is signed: ${PROBLEMS[code].says}`, { code, ...about, do: PROBLEMS[code].do })
  }
}
