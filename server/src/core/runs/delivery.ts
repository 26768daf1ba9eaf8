import type { RunEffect, RunEvent, RunKind, Step } from '../../contract/run.ts'

/** One message to one channel. It is made in the commit that it tells of, so a crash cannot lose it. */
export type Delivery = {
  /** The same for every attempt, so that a receiver can tell a repetition. */
  readonly delivery_id: string
  readonly channel: string
  readonly event: string
  readonly call_id: string
  readonly approval_id: string | null
  readonly at: number
  /** Attempts that have failed. */
  readonly failed: number
  /** While waiting: not before this time. */
  readonly next_at: number
  readonly phase: 'waiting' | 'sending' | 'ended'
}

/** Half a second, doubled each time, at most ten minutes apart, for a day. */
const FIRST_MS = 500
const LONGEST_MS = 600_000
const FOR_MS = 86_400_000

export const delivery: RunKind<Delivery> = { kind: 'delivery', step }

/** The run of a new message; its first wake-up sends it. */
export function newDelivery(told: Omit<Delivery, 'failed' | 'next_at' | 'phase'>): Delivery {
  return { ...told, failed: 0, next_at: told.at, phase: 'waiting' }
}

function step(state: Delivery, event: RunEvent): Step<Delivery> {
  const { now, outcome } = event
  if (event.type === 'timer' && state.phase === 'waiting' && typeof now === 'number')
    return now >= state.next_at ? send(state) : { state, effects: [], timers: [state.next_at] }
  if (event.type !== 'effect.done' || state.phase !== 'sending') return { state, effects: [] }
  const mayTryAgain = outcome === 'failed' && typeof now === 'number' && now < state.at + FOR_MS
  return mayTryAgain ? wait(state, now) : { state: { ...state, phase: 'ended' }, effects: [], done: true }
}

function send(state: Delivery): Step<Delivery> {
  const effect: RunEffect = {
    key: `${state.channel}/${state.event}/${state.failed + 1}`,
    kind: 'deliver',
    with: {
      delivery_id: state.delivery_id,
      channel: state.channel,
      event: state.event,
      call_id: state.call_id,
      approval_id: state.approval_id,
      at: state.at,
      attempt: state.failed + 1,
    },
  }
  return { state: { ...state, phase: 'sending' }, effects: [effect] }
}

function wait(state: Delivery, now: number): Step<Delivery> {
  const next_at = now + Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(state.failed, 20))
  return { state: { ...state, failed: state.failed + 1, next_at, phase: 'waiting' }, effects: [], timers: [next_at] }
}
