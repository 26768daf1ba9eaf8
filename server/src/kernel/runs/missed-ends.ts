import { isJsonObject } from '../contract/json.ts'
import type { RunEvent } from '../contract/run.ts'
import type { Tables } from '../ports/reads.ts'
import { REPORTED } from './run-events.ts'

/**
 * A performer may report that its call is held or still running after the call has ended: then the event `call.ended` was read
 * before the result, by a step that did not know the call yet. It is added again, after the result.
 * INVARIANT: no end is missed. One that arrives after this check is an event that this commit does not expect, so the commit is
 * lost and the run is read again.
 */
export async function missedEnds(
  { row }: Pick<Tables, 'row'>,
  results: readonly RunEvent[],
): Promise<readonly RunEvent[]> {
  const ends = await Promise.all(
    results.map(async ({ call }): Promise<readonly RunEvent[]> => {
      if (!isJsonObject(call) || typeof call['call_id'] !== 'string') return []
      const { call_id, status } = call
      if (status !== 'pending' && status !== 'executing' && status !== 'unknown') return []
      const state = (await row('calls', call_id))?.row.state
      return state === undefined || state === status || !REPORTED.has(state)
        ? []
        : [{ type: 'call.ended', call_id, state }]
    }),
  )
  return ends.flat()
}
