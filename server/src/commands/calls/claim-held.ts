import type { Call, CallRow, Outcome } from '../../contract/call.ts'
import { identityOf } from '../../core/gate/identity-of.ts'
import type { Held, Tables } from '../ports/reads.ts'
import { describeCall, type Links } from './describe-call.ts'

export type ClaimDeps = {
  readonly tables: Tables
  readonly links: Links
  /** Starts a held call that was approved: rechecked, the approval used, marked as started, in one commit. */
  readonly claim: (call_id: CallRow['call_id']) => Promise<Outcome | 'later' | 'taken'>
}

/** How many equal calls are checked. Nobody repeats a held call more often. */
const MOST_EQUAL = 20

/**
 * For a client that repeats a held call in the same session: the same request is waited for, and an approval given in the
 * meantime is used, once. Undefined if there is none.
 */
export async function claimHeld(deps: ClaimDeps, call: Call): Promise<Outcome | undefined> {
  const equal = await deps.tables.list(
    'calls',
    { identity: identityOf(call) },
    { limit: MOST_EQUAL, newest_first: true },
  )
  const held = equal.find((one) => isSameHeld(one, call))
  if (held === undefined) return undefined
  const approval =
    held.row.approval_id === undefined ? undefined : await deps.tables.row('approvals', held.row.approval_id)
  if (approval?.row.state === 'pending') return describeCall(held.row, deps.links)
  if (approval?.row.state !== 'approved') return undefined
  const claimed = await deps.claim(held.row.call_id)
  if (claimed === 'later') return describeCall(held.row, deps.links)
  // Expired, stale or already used by another process: this one is a separate call.
  return claimed !== 'taken' && claimed.status === 'executing' ? claimed : undefined
}

const isSameHeld = ({ row }: Held<'calls'>, call: Call): boolean =>
  row.state === 'pending' && row.executor === 'client' && row.thread === call.thread
