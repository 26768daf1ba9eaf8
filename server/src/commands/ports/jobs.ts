import type { RunId } from '../../contract/ids.ts'

export type JobHands = {
  /** Drives a run until it parks. Rejects when nothing is known of it: then the job is tried again, here or on another node. */
  drive(run: RunId): Promise<void>
  /** Every attempt to drive this run failed, or killed its node. */
  giveUp(run: RunId, says: string): Promise<void>
}

/** Wake-ups as durable jobs that any node may take. Only a store that several nodes share has them. */
export interface RunJobs {
  /** Takes jobs of runs that the node which woke them has not driven. Returns how to stop: no new jobs, and those under way are handed back. */
  work(hands: JobHands): () => Promise<void>
  /** Does something at the times of a cron expression (UTC), on one node each time. */
  every(name: string, cron: string, work: () => Promise<void>): Promise<void>
}
