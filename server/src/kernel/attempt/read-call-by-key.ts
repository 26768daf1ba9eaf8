import type { Caller } from '../contract/caller.ts'
import type { Outcome } from '../contract/call.ts'
import { refuse, type Result } from '../contract/problems.ts'
import { scopedKey, type KeyUse } from '../identity/idempotency-key.ts'
import { readCall, type ReadCallDeps } from './read-call.ts'

const MOST_ROUNDS = 100

/**
 * The outcome of the call that this caller made under an idempotency key, for a client that lost the answer; for a call that its
 * tool answered with a question, the last round. Reading never executes anything.
 */
export async function readCallByKey(
  deps: ReadCallDeps,
  caller: Caller,
  key: string,
  wait_ms = 0,
): Promise<Result<Outcome>> {
  const inRound = async (use: KeyUse) =>
    (await deps.tables.list('calls', { idempotency_key: scopedKey(caller, key, use) }, { limit: 1 }))[0]
  let found = await inRound({ is: 'call' })
  for (let round = 2; found?.row.problem?.code === 'tool.asks' && round <= MOST_ROUNDS; round += 1) {
    const next = await inRound({ is: 'call', round })
    if (next === undefined) break
    found = next
  }
  return found === undefined
    ? refuse('call.unknown', { idempotency_key: key })
    : readCall(deps, caller, found.row.call_id, wait_ms)
}
