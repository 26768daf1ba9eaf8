import type { Call, CallRequest, Outcome } from '../contract/call.ts'
import { problem } from '../contract/problems.ts'
import { scopedKey } from '../identity/idempotency-key.ts'
import { mayContinue } from '../identity/grants.ts'
import type { Tables } from '../ports/reads.ts'
import { enterCall, type EnterDeps } from '../sessions/enter-session.ts'
import { describeCall, refused, type Links } from './describe-call.ts'

export type EarlierDeps = EnterDeps & { readonly tables: Tables; readonly links: Links }

/**
 * The same caller, key, tool and arguments are the same call; anything else with that key is a mistake, and so is a credential that grants
 * less than the one that made the call.
 */
export async function earlierCall(deps: EarlierDeps, request: CallRequest, call: Call): Promise<Outcome | undefined> {
  if (request.idempotency_key === undefined) return undefined
  const [earlier] = await deps.tables.list(
    'calls',
    { idempotency_key: keyOf(request, request.idempotency_key) },
    { limit: 1 },
  )
  if (earlier === undefined) return undefined
  const isSame =
    earlier.row.tool_id === call.tool_id &&
    earlier.row.args_hash === call.args_hash &&
    mayContinue(call.caller, earlier.row.caller)
  // Its answer was deleted, and it must not run twice.
  if (isSame && earlier.row.expired_at !== undefined)
    return refused(problem('call.expired', { call_id: earlier.row.call_id, state: earlier.row.state }))
  if (!isSame) return refused(problem('call.key_reused', { call_id: earlier.row.call_id }))
  // It may have been made in another session of this caller.
  const entered = await enterCall(deps, call, earlier.row)
  return entered.ok ? describeCall(earlier.row, deps.links) : refused(entered.problem)
}

/** The idempotency key of a request, separate from those of other callers. */
export const keyOf = ({ caller, by_run, round }: CallRequest, key: string) =>
  scopedKey(
    caller,
    key,
    by_run === undefined ? { is: 'call', ...(round === undefined ? {} : { round }) } : { is: 'run' },
  )
