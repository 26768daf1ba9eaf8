import type { RunJobs } from '../kernel/ports/jobs.ts'
import type { Swept } from '../kernel/retention/sweep-expired.ts'
import { PROBLEMS, type Problem } from '../kernel/contract/problems.ts'
import type { Log } from '../kernel/ports/log.ts'

const FIRST_SWEEP_MS = 60_000
const SWEEP_EVERY_MS = 3_600_000
const EVERY_HOUR = '17 * * * *'

/**
 * Soon after the start and then every hour; a failed sweep is retried the next time. Nodes that share a store take turns: a
 * schedule there gives each hour's sweep to one of them.
 */
export async function sweepRegularly(
  sweep: () => Promise<Swept>,
  log: Log,
  jobs: RunJobs | undefined,
): Promise<{ stop(): Promise<void> }> {
  let running: Promise<void> | undefined
  const run = (): Promise<void> =>
    (running ??= sweep()
      .then(
        (swept) =>
          swept.calls + swept.journals + swept.artifacts > 0
            ? log('info', 'expired arguments and outputs were deleted', swept)
            : undefined,
        (error: unknown) =>
          log('error', 'expired arguments and outputs could not be deleted', { error: String(error) }),
      )
      .finally(() => (running = undefined)))
  if (jobs !== undefined) {
    await jobs.every('retention', EVERY_HOUR, run)
    return { stop: async () => running }
  }
  const first = setTimeout(() => void run(), FIRST_SWEEP_MS)
  const later = setInterval(() => void run(), SWEEP_EVERY_MS)
  return {
    async stop() {
      clearTimeout(first)
      clearInterval(later)
      await running
    },
  }
}

/** Reports immediately that nothing is signed, and again as often as a checkpoint would be due. */
export function unsignedLog(log: Log, every_ms: number): (problem: Problem) => void {
  let last = Number.NEGATIVE_INFINITY
  return ({ code, about }) => {
    if (performance.now() - last < every_ms) return
    last = performance.now()
    log('error', `no checkpoint is signed: ${PROBLEMS[code].says}`, { code, ...about, do: PROBLEMS[code].do })
  }
}
