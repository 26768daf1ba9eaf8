import type { DriverEvent, RunKind, Step } from '../contract/run.ts'

/** One message to one channel. It is created in the commit that it reports, so a crash cannot lose it. */
export type Delivery = {
  /** The same for every attempt, so that a receiver can recognize a repetition. */
  readonly delivery_id: string
  readonly channel: string
  readonly event: string
  readonly call_id: string
  readonly approval_id: string | null
  readonly at: number
  /** How many attempts have failed. */
  readonly failed: number
  /** While waiting: not before this time. */
  readonly next_at: number
  readonly phase: 'waiting' | 'sending' | 'ended'
}

export type DeliveryEvent =
  DriverEvent | { readonly type: 'effect.done'; readonly key: string; readonly outcome: string; readonly now?: number }

export type DeliveryEffect = {
  readonly key: string
  readonly kind: 'deliver'
  readonly with: Pick<Delivery, 'delivery_id' | 'channel' | 'event' | 'call_id' | 'approval_id' | 'at'> & {
    readonly attempt: number
  }
}

type Next = Step<Delivery, DeliveryEffect>

/** Half a second, doubled each time, at most ten minutes apart, for a day. */
const FIRST_MS = 500
const LONGEST_MS = 600_000
const FOR_MS = 86_400_000
const SEND = 'send'

export const delivery: RunKind<Delivery, DeliveryEvent, DeliveryEffect> = {
  kind: 'delivery',
  // A repetition carries the same delivery id.
  effects: { deliver: 'repeatable' },
  step,
}

/** A new message: its timer is due at once. */
export function newDelivery(message: Omit<Delivery, 'failed' | 'next_at' | 'phase'>): Next {
  return {
    state: { ...message, failed: 0, next_at: message.at, phase: 'waiting' },
    effects: [],
    timers: { [SEND]: message.at },
  }
}

function step(state: Delivery, event: DeliveryEvent): Next {
  if (event.type === 'run.cancel') return { state: { ...state, phase: 'ended' }, effects: [], ends: 'cancelled' }
  if (event.type === 'timer' && state.phase === 'waiting')
    return event.now >= state.next_at ? send(state) : { state, effects: [], timers: { [SEND]: state.next_at } }
  if (event.type !== 'effect.done' || state.phase !== 'sending') return { state, effects: [] }
  const { outcome, now } = event
  const mayTryAgain = outcome === 'failed' && now !== undefined && now < state.at + FOR_MS
  return mayTryAgain ? wait(state, now) : { state: { ...state, phase: 'ended' }, effects: [], ends: 'done' }
}

function send(state: Delivery): Next {
  const { delivery_id, channel, event, call_id, approval_id, at } = state
  const attempt = state.failed + 1
  const details = { delivery_id, channel, event, call_id, approval_id, at, attempt }
  return {
    state: { ...state, phase: 'sending' },
    effects: [{ key: `${channel}/${event}/${attempt}`, kind: 'deliver', with: details }],
  }
}

function wait(state: Delivery, now: number): Next {
  const next_at = now + Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(state.failed, 20))
  return {
    state: { ...state, failed: state.failed + 1, next_at, phase: 'waiting' },
    effects: [],
    timers: { [SEND]: next_at },
  }
}
