import type { Caller } from '../../contract/caller.ts'
import type { Outcome } from '../../contract/call.ts'
import { refuse, type Result } from '../../contract/problems.ts'
import { readCall, type ReadCallDeps } from './read-call.ts'
import { scopedKey } from './scoped-key.ts'

/**
 * The outcome of the call that this caller made under an idempotency key, for a client that lost the answer. Asking never
 * executes anything.
 */
export async function readCallByKey(
  deps: ReadCallDeps,
  caller: Caller,
  key: string,
  wait_ms = 0,
): Promise<Result<Outcome>> {
  const [found] = await deps.shelves.list('calls', { idempotency_key: scopedKey(caller, key) }, { limit: 1 })
  return found === undefined
    ? refuse('call.unknown', { idempotency_key: key })
    : readCall(deps, caller, found.row.call_id, wait_ms)
}
