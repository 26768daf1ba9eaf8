import type { Caller } from '../contract/caller.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import { DECIDING_KINDS, PROGRAM_KINDS } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import { mayContinue } from '../identity/grants.ts'
import { isAskedAbout } from './close-call.ts'
import { describeCall, type Links } from './describe-call.ts'
import { isToBeRetried } from './retry-changes.ts'
import { waitForCall, type WaitDeps } from './wait-for-call.ts'

export type ReadCallDeps = WaitDeps & { readonly links: Links }

export const LONGEST_WAIT_MS = 60_000

/**
 * A program sees the calls that it may continue, a person those made in their name with tools that their key grants, an approver all.
 * Invisible calls are reported as missing.
 */
export function maySeeCall(caller: Caller, row: Pick<CallRow, 'caller' | 'tool_id'>): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  if (PROGRAM_KINDS.includes(caller.kind)) return mayContinue(caller, row.caller)
  return row.caller.user === caller.user && grantedTools(caller)(row.tool_id)
}

/** The current outcome, after waiting a limited time if there is none yet. Reading never executes. */
export async function readCall(
  deps: ReadCallDeps,
  caller: Caller,
  call_id: string,
  wait_ms = 0,
): Promise<Result<Outcome>> {
  const held = await deps.tables.row('calls', call_id)
  if (held === undefined || !maySeeCall(caller, held.row)) return refuse('call.unknown', { call_id })
  if (wait_ms <= 0) return ok(describeCall(held.row, deps.links))
  const row = await waitForCall(deps, held.row, { wait_ms: Math.min(wait_ms, LONGEST_WAIT_MS) }, isOver)
  return ok(describeCall(row, deps.links))
}

/** Waiting includes the read-back, and a retry that a person or the recovery has ordered. */
const isOver = (row: CallRow) =>
  !isAskedAbout(row) && row.state !== 'executing' && row.due === undefined && !isToBeRetried(row)
