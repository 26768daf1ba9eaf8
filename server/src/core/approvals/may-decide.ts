import { DECIDING_KINDS, type Caller } from '../../contract/caller.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'

/** By role only people and services with the role decide. An agent credential never can, whoever owns it. */
export function mayDecide(caller: Caller): Result<void> {
  if (DECIDING_KINDS.includes(caller.kind)) return ok(undefined)
  return refuse('auth.forbidden', { needs: DECIDING_KINDS.join(', ') })
}
