import { z } from 'zod'

const Days = z.union([z.int().min(1).max(36_500), z.literal('never')], {
  error: 'a number of days from 1, or `never`',
})

/** How long texts are kept. The audit, ids, hashes, times and verdicts are permanent. */
export const Retention = z.strictObject({
  /** Arguments and outputs, in days after a call ended. A call that waits, runs or is unknown keeps them. */
  calls: Days.default(30).describe(
    'Number of days that arguments and outputs of calls are stored, or `never` to keep them.',
  ),
  /** Long outputs in the artifact store, in days after they were stored. */
  artifacts: Days.default(30).describe('The same for large outputs.'),
  journals: Days.default(90).describe('The same for journals of runs that have ended.'),
})
export type Retention = z.infer<typeof Retention>
