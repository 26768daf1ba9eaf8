import type { Call, CallRow, Outcome } from '../contract/call.ts'
import { mayContinue } from '../identity/grants.ts'
import { identityOf } from './identity-of.ts'
import type { Tables } from '../ports/reads.ts'
import { describeCall, type Links } from './describe-call.ts'

export type ClaimDeps = {
  readonly tables: Tables
  readonly links: Links
  /** Starts a held call that was approved: rechecked, the approval used, marked as started, in one commit. */
  readonly claim: (call_id: CallRow['call_id']) => Promise<Outcome | 'later' | 'taken'>
}

/** How many equal calls that wait are checked, in all sessions of a caller. */
const MOST_WAITING = 100
/** Equal calls come from few sessions at once. */
const MOST_EQUAL = 20

/**
 * For a client that repeats a held call in the same session: the same request is waited for, and an approval given in the
 * meantime is used, once. Undefined if there is none.
 */
export async function claimHeld(deps: ClaimDeps, call: Call): Promise<Outcome | undefined> {
  const waiting = await deps.tables.list(
    'calls',
    { identity: identityOf(call), state: 'pending' },
    { limit: MOST_WAITING, newest_first: true },
  )
  const held = waiting.find(({ row }) => isSameSession(row, call))
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

/**
 * The outcome of the equal call that is held, or a key that only one of several equal calls at once can insert: it names the equal
 * call before it, which is read before the held one is looked for.
 */
export async function heldOrNext(deps: ClaimDeps, call: Call): Promise<Outcome | { readonly next: string }> {
  const identity = identityOf(call)
  const equal = await deps.tables.list('calls', { identity }, { limit: MOST_EQUAL, newest_first: true })
  const before = equal.find(({ row }) => isSameSession(row, call)) ?? equal[MOST_EQUAL - 1]
  const held = await claimHeld(deps, call)
  return held ?? { next: `call.held after ${before?.row.call_id ?? 'none'} ${call.thread} ${identity}` }
}

/** An approval is for the credential that asked: one with a smaller grant asks again. */
const isSameSession = ({ executor, thread, caller }: CallRow, call: Call): boolean =>
  executor === 'client' && thread === call.thread && mayContinue(call.caller, caller)
