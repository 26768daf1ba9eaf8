import type { ApprovalId, CallId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { CallRow } from '../contract/call.ts'
import type { DriverEvent, RunEvent, RunKind, Step } from '../contract/run.ts'

/** A call that continues without its caller: held for a person, or to be retried after an interruption. */
export type HeldCall = {
  readonly call_id: CallId
  /** Who made it. Absent in rows of earlier releases. */
  readonly caller?: JsonObject
  readonly phase: 'waiting' | 'resuming' | 'expiring' | 'withdrawing' | 'ended'
  readonly approval_id: ApprovalId | null
  readonly expires_at: number | null
  /** How often it was resumed; makes the effect key of each resumption unique. */
  readonly resumed: number
  /** What a person ordered while the call was being resumed. If that resumption had read the call before, it must not be lost. */
  readonly ordered?: 'call.retried' | 'call.settled'
  /** Who cancelled it while it was expiring. If an edit is faster than the expiry, it is withdrawn. */
  readonly cancelled_by?: string
}

export type HeldCallEvent =
  | DriverEvent
  | { readonly type: 'approval.approved'; readonly approval_id: ApprovalId }
  | {
      readonly type: 'approval.edited'
      readonly approval_id: ApprovalId
      readonly expires_at: number
      readonly escalates_at?: number
    }
  | { readonly type: 'approval.closed'; readonly outcome: string }
  | { readonly type: 'call.retried' }
  | { readonly type: 'call.settled' }
  /** Journals of the first release have no keys here. */
  | { readonly type: 'effect.done'; readonly key?: string; readonly outcome: string }

/** Withdraws a call that still waits for a person; otherwise changes nothing. */
export type WithdrawCall = {
  readonly key: string
  readonly kind: 'withdraw_call'
  readonly with: { readonly call_id: CallId; readonly by: string }
}

export type HeldCallEffect =
  | {
      readonly key: string
      readonly kind: 'resume_call'
      /** `approval_id`: so that it can be read together with the call. The call's row decides which request counts. */
      readonly with: { readonly call_id: CallId; readonly approval_id?: ApprovalId }
    }
  | { readonly key: string; readonly kind: 'expire_approval'; readonly with: { readonly approval_id: ApprovalId } }
  | { readonly key: string; readonly kind: 'escalate_approval'; readonly with: { readonly approval_id: ApprovalId } }
  | WithdrawCall

type Made = Pick<CallRow, 'call_id' | 'caller'>
type Next = Step<HeldCall, HeldCallEffect>

const EXPIRY = 'expiry'
/** Set only if a route asks further people after a time. */
const ESCALATION = 'escalation'

export function holdCall(
  { call_id, caller }: Made,
  approval_id: ApprovalId,
  expires_at: number,
  escalates_at: number | null = null,
): Next {
  return {
    state: {
      call_id,
      caller: JSON.parse(JSON.stringify(caller)) as JsonObject,
      phase: 'waiting',
      approval_id,
      expires_at,
      resumed: 0,
    },
    effects: [],
    timers: { [EXPIRY]: expires_at, [ESCALATION]: escalates_at },
    waits_for: `approval ${approval_id}`,
  }
}

/** For an interrupted call that was not held before: it waits only for its own retry. */
export function parkCall({ call_id, caller }: Made): Next {
  return {
    state: {
      call_id,
      caller: JSON.parse(JSON.stringify(caller)) as JsonObject,
      phase: 'ended',
      approval_id: null,
      expires_at: null,
      resumed: 0,
    },
    effects: [],
  }
}

export const heldCall: RunKind<HeldCall, HeldCallEvent, HeldCallEffect> = {
  kind: 'held-call',
  // The call's own row records what was already done.
  effects: {
    resume_call: 'guarded',
    expire_approval: 'repeatable',
    escalate_approval: 'repeatable',
    withdraw_call: 'repeatable',
  },
  step,
}

function step(state: HeldCall, event: HeldCallEvent): Next {
  switch (event.type) {
    case 'approval.approved':
      return isHeld(state) && event.approval_id === state.approval_id ? resume(state) : stay(state)
    case 'approval.edited':
      return isHeld(state) ? waitAnew(state, event) : stay(state)
    case 'approval.closed':
      return state.phase === 'waiting' ? ended(state, event) : stay(state)
    case 'call.retried':
      return state.phase === 'ended' ? resume(state) : order(state, event.type)
    case 'call.settled':
      return state.phase === 'ended' ? ended(state, event) : order(state, event.type)
    case 'timer':
      return event.name === ESCALATION ? escalate(state) : isOverdue(state, event.now) ? expire(state) : stay(state)
    case 'effect.done':
      return answers(state, event) ? afterEffect(state, event) : stay(state)
    case 'run.cancel':
      return cancel(state, event.by)
    default:
      return stay(state)
  }
}

/** Nobody has decided yet. A person may still decide while it is being withdrawn or expires. */
const isHeld = ({ phase }: HeldCall): boolean => phase === 'waiting' || phase === 'withdrawing' || phase === 'expiring'

/** A withdrawal that arrives after an approval does not affect the running call. */
function answers(state: HeldCall, { key, outcome }: HeldCallEvent & { type: 'effect.done' }): boolean {
  // Asking further people decides nothing, whatever has happened to the call in the meantime.
  if (key?.startsWith(escalationOf(state)) === true) return false
  if (key?.startsWith(expiryOf(state)) === true) return state.phase === 'expiring' && !CONTINUES.has(outcome)
  if (state.phase === 'withdrawing') return outcome !== 'approved'
  return state.phase !== 'waiting' && key !== withdrawalOf(state)
}

/**
 * The states in which an expiry finds the request if a person decided first and the call continues. The event of that decision is in the
 * journal, read or unread.
 */
const CONTINUES: ReadonlySet<string> = new Set(['approved', 'consumed', 'stale', 'edited'])

const expiryOf = ({ call_id }: HeldCall): string => `${call_id}/expire/`
const escalationOf = ({ call_id }: HeldCall): string => `${call_id}/escalate/`
const withdrawalOf = ({ call_id }: HeldCall): string => `${call_id}/withdraw`

function cancel(state: HeldCall, by: string): Next {
  if (state.phase === 'waiting') return withdraw(state, by)
  return stay(state.phase === 'expiring' ? { ...state, cancelled_by: by } : state)
}

/** A call that executes, or whose outcome is unknown, is not abandoned: only a waiting one is withdrawn. */
function withdraw(state: HeldCall, by: string): Next {
  const { call_id } = state
  return {
    state: { ...state, phase: 'withdrawing' },
    effects: [{ key: withdrawalOf(state), kind: 'withdraw_call', with: { call_id, by } }],
    timers: { [EXPIRY]: null, [ESCALATION]: null },
  }
}

const stay = (state: HeldCall): Next => ({ state, effects: [] })

const order = (state: HeldCall, ordered: NonNullable<HeldCall['ordered']>): Next =>
  stay(state.phase === 'resuming' ? { ...state, ordered } : state)

/** Starting a retry here is safe even if the resumption already made it: the call's row says so, and then nothing is executed. */
function afterEffect({ ordered, ...state }: HeldCall, event: HeldCallEvent & { type: 'effect.done' }): Next {
  if (ordered === undefined || event.outcome !== 'unknown') return ended(state, event)
  return ordered === 'call.retried' ? resume(state) : ended(state, { type: ordered })
}

/** A person may retry a call whose outcome is unknown; every other outcome is final. */
function ended(state: HeldCall, event: RunEvent): Next {
  const next: Next = { state: { ...state, phase: 'ended' }, effects: [] }
  if (event['outcome'] !== 'unknown') return { ...next, ends: state.phase === 'withdrawing' ? 'cancelled' : 'done' }
  return { ...next, timers: { [EXPIRY]: null, [ESCALATION]: null }, waits_for: `settlement of ${state.call_id}` }
}

function resume(state: HeldCall): Next {
  const resumed = state.resumed + 1
  const { call_id, approval_id } = state
  const details = { call_id, ...(approval_id === null ? {} : { approval_id }) }
  return {
    state: { ...state, phase: 'resuming', resumed },
    effects: [{ key: `${call_id}/resume/${resumed}`, kind: 'resume_call', with: details }],
    timers: { [EXPIRY]: null, [ESCALATION]: null },
    waits_for: null,
  }
}

function waitAnew(
  state: HeldCall,
  { approval_id, expires_at, escalates_at }: HeldCallEvent & { type: 'approval.edited' },
): Next {
  const { cancelled_by } = state
  if (state.phase === 'expiring' && cancelled_by !== undefined)
    return { ...withdraw({ ...state, approval_id, expires_at }, cancelled_by), waits_for: `approval ${approval_id}` }
  const isWithdrawing = state.phase === 'withdrawing'
  const timers: NonNullable<Next['timers']> = isWithdrawing
    ? { [EXPIRY]: null, [ESCALATION]: null }
    : { [EXPIRY]: expires_at, [ESCALATION]: escalates_at ?? null }
  return {
    state: { ...state, phase: isWithdrawing ? 'withdrawing' : 'waiting', approval_id, expires_at },
    effects: [],
    timers,
    waits_for: `approval ${approval_id}`,
  }
}

function isOverdue({ phase, expires_at }: HeldCall, now: number): boolean {
  return phase === 'waiting' && expires_at !== null && now >= expires_at
}

/** Too few people have decided in time. The request keeps waiting. */
function escalate(state: HeldCall): Next {
  const { approval_id, phase } = state
  if (phase !== 'waiting' || approval_id === null) return stay(state)
  const key = `${escalationOf(state)}${approval_id}`
  return { ...stay(state), effects: [{ key, kind: 'escalate_approval', with: { approval_id } }] }
}

function expire(state: HeldCall): Next {
  const { approval_id } = state
  if (approval_id === null) return stay(state)
  return {
    state: { ...state, phase: 'expiring' },
    effects: [{ key: `${expiryOf(state)}${approval_id}`, kind: 'expire_approval', with: { approval_id } }],
  }
}
