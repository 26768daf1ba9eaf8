import type { Call, CallRequest, Outcome, CallRow } from '../contract/call.ts'
import { problem } from '../contract/problems.ts'
import { scopedKey } from '../identity/idempotency-key.ts'
import { mayContinue } from '../identity/grants.ts'
import type { Tables } from '../ports/reads.ts'
import { enterCall, type EnterPorts } from '../sessions/enter-session.ts'
import { describeCall, refused, type Links } from './describe-call.ts'
import { identityOf } from './call-changes.ts'

export type EarlierDeps = EnterPorts & { readonly tables: Tables; readonly links: Links }

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
