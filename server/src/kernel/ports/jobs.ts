import type { RunId } from '../contract/ids.ts'

export type JobHandlers = {
  /** Drives a run until it parks. Rejects if nothing is known about it: then the job is retried, here or on another node. */
  drive(run: RunId): Promise<void>
  /** Every attempt to drive this run failed, or killed its node. */
  giveUp(run: RunId, says: string): Promise<void>
}

/** Wake-ups as durable jobs that any node may take. Only a store that several nodes share has them. */
export interface RunJobs {
  /**
   * Takes jobs of runs that were not driven by the node that woke them. Returns a function that stops it:
   * no new jobs are taken, and those in progress are returned to the queue.
   */
  work(handlers: JobHandlers): () => Promise<void>
  /** Does something at the times of a cron expression (UTC), on one node each time. */
  every(name: string, cron: string, work: () => Promise<void>): Promise<void>
}
