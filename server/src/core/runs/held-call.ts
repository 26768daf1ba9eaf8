import type { ApprovalId, CallId } from '../../contract/ids.ts'
import type { RunEffect, RunEvent, RunKind, Step } from '../../contract/run.ts'

/** A call that goes on without its caller: held for a person, or to be tried again after an interruption. */
export type HeldCall = {
  readonly call_id: CallId
  readonly phase: 'waiting' | 'resuming' | 'expiring' | 'ended'
  readonly approval_id: ApprovalId | null
  readonly expires_at: number | null
  /** How often it was resumed; makes each resumption's effect key its own. */
  readonly resumed: number
}

export function holdCall(call_id: CallId, approval_id: ApprovalId, expires_at: number): Step<HeldCall> {
  return {
    state: { call_id, phase: 'waiting', approval_id, expires_at, resumed: 0 },
    effects: [],
    timers: [expires_at],
  }
}

/** For an interrupted call that nobody held before: it waits for nothing but its own retry. */
export function parkCall(call_id: CallId): Step<HeldCall> {
  return { state: { call_id, phase: 'ended', approval_id: null, expires_at: null, resumed: 0 }, effects: [] }
}

export const heldCall: RunKind<HeldCall> = { kind: 'held-call', step }

function step(state: HeldCall, event: RunEvent): Step<HeldCall> {
  switch (event.type) {
    case 'approval.approved':
      return state.phase === 'waiting' && event['approval_id'] === state.approval_id ? resume(state) : stay(state)
    case 'approval.edited':
      return state.phase === 'waiting' ? waitAnew(state, event) : stay(state)
    case 'approval.closed':
      return state.phase === 'waiting' ? ended(state, event) : stay(state)
    case 'call.retried':
      return state.phase === 'ended' ? resume(state) : stay(state)
    case 'call.settled':
      return state.phase === 'ended' ? ended(state, event) : stay(state)
    case 'timer':
      return isOverdue(state, event)
        ? { state: { ...state, phase: 'expiring' }, effects: [expiry(state)] }
        : stay(state)
    case 'effect.done':
      return state.phase === 'waiting' ? stay(state) : ended(state, event)
    default:
      return stay(state)
  }
}

const stay = (state: HeldCall): Step<HeldCall> => ({ state, effects: [] })

/** A call whose outcome is unknown may be tried again by a person; every other end is final. */
function ended(state: HeldCall, event: RunEvent): Step<HeldCall> {
  return { state: { ...state, phase: 'ended' }, effects: [], done: event['outcome'] !== 'unknown' }
}

function resume(state: HeldCall): Step<HeldCall> {
  const resumed = state.resumed + 1
  const effect: RunEffect = {
    key: `${state.call_id}/resume/${resumed}`,
    kind: 'resume_call',
    with: { call_id: state.call_id },
  }
  return { state: { ...state, phase: 'resuming', resumed }, effects: [effect] }
}

function waitAnew(state: HeldCall, event: RunEvent): Step<HeldCall> {
  const { approval_id, expires_at } = event
  if (typeof approval_id !== 'string' || typeof expires_at !== 'number') return stay(state)
  return { state: { ...state, approval_id: approval_id as ApprovalId, expires_at }, effects: [], timers: [expires_at] }
}

function isOverdue(state: HeldCall, event: RunEvent): boolean {
  const { now } = event
  return state.phase === 'waiting' && state.expires_at !== null && typeof now === 'number' && now >= state.expires_at
}

function expiry(state: HeldCall): RunEffect {
  return {
    key: `${state.call_id}/expire/${state.approval_id}`,
    kind: 'expire_approval',
    with: { approval_id: state.approval_id },
  }
}
