import type { DriverEvent, RunKind, Step } from '../../kernel/contract/run.ts'

/**
 * A node's message to its hub: that a call is held, or how it ended. It is created in the commit that it reports, and sent until
 * the hub has confirmed it with its signature.
 */
export type HubReport = {
  readonly what: 'request' | 'outcome'
  readonly nonce: string
  readonly call_id: string
  readonly approval_id: string
  readonly at: number
  /**
   * For a request: if it is unconfirmed at this time, the call is rejected. For an outcome: not sent any more after this time.
   */
  readonly until: number
  /** How many attempts were made, including those after the confirmation of a request, when its decision is requested again. */
  readonly sent: number
  readonly next_at: number
  readonly confirmed: boolean
  readonly phase: 'waiting' | 'sending' | 'refusing' | 'ended'
}

export type HubReportEvent =
  | DriverEvent
  /** The hub confirmed the message, with a signature. */
  | { readonly type: 'hub.confirmed'; readonly now: number }
  /** `over`: there is nothing left to report. */
  | { readonly type: 'effect.done'; readonly key: string; readonly outcome: string; readonly now: number }

export type HubReportEffect =
  | {
      readonly key: string
      readonly kind: 'tell_hub'
      readonly with: Pick<HubReport, 'what' | 'nonce' | 'call_id' | 'approval_id'>
    }
  | { readonly key: string; readonly kind: 'give_up_hub'; readonly with: { readonly approval_id: string } }

type Next = Step<HubReport, HubReportEffect>

/** Until it is confirmed: half a second, doubled each time, at most 15 seconds apart. */
const FIRST_MS = 500
const LONGEST_MS = 15_000
/** A confirmed request is asked about again after a minute, later every ten minutes, in case the transport loses messages. */
const AGAIN_MS = 60_000
const AGAIN_LONGEST_MS = 600_000
/** Outcomes are retried for a week. */
export const OUTCOME_FOR_MS = 7 * 86_400_000
const SEND = 'send'

export const hubReport: RunKind<HubReport, HubReportEvent, HubReportEffect> = {
  kind: 'hub-report',
  // The hub recognizes a message by its id, and giving up checks the approval's row.
  effects: { tell_hub: 'repeatable', give_up_hub: 'repeatable' },
  step,
}

export const waitsForHub = (approval_id: string): string => `hub ${approval_id}`

export function newHubReport(
  report: Pick<HubReport, 'what' | 'nonce' | 'call_id' | 'approval_id' | 'at' | 'until'>,
): Next {
  return {
    state: { ...report, sent: 0, next_at: report.at, confirmed: false, phase: 'waiting' },
    effects: [],
    timers: { [SEND]: report.at },
    ...(report.what === 'request' ? { waits_for: waitsForHub(report.approval_id) } : {}),
  }
}

function step(state: HubReport, event: HubReportEvent): Next {
  if (state.phase === 'ended') return { state, effects: [] }
  switch (event.type) {
    case 'run.cancel':
      return end(state, 'cancelled')
    case 'hub.confirmed':
      return confirmed(state, event.now)
    case 'timer':
      return state.phase === 'waiting' ? due(state, event.now) : { state, effects: [] }
    case 'effect.done':
      return isOver(state, event.outcome) ? end(state, 'done') : wait({ ...state, phase: 'waiting' }, event.now)
    default:
      return { state, effects: [] }
  }
}

const end = (state: HubReport, ends: 'done' | 'cancelled'): Next => ({
  state: { ...state, phase: 'ended' },
  effects: [],
  timers: { [SEND]: null },
  waits_for: null,
  ends,
})

const isOver = ({ what, confirmed: isConfirmed }: HubReport, outcome: string): boolean =>
  outcome === 'over' || (what === 'outcome' && isConfirmed)

function confirmed(state: HubReport, now: number): Next {
  if (state.confirmed) return { state, effects: [] }
  const next = { ...state, confirmed: true, sent: 0 }
  // Work in progress ends first.
  if (state.phase !== 'waiting') return { state: next, effects: [] }
  return state.what === 'outcome' ? end(next, 'done') : wait(next, now)
}

function due(state: HubReport, now: number): Next {
  if (now < state.next_at) return { state, effects: [], timers: { [SEND]: state.next_at } }
  const { what, nonce, call_id, approval_id } = state
  if (!state.confirmed && now >= state.until) {
    if (what === 'outcome') return end(state, 'done')
    const key = `give up/${approval_id}/${state.sent}`
    return {
      state: { ...state, phase: 'refusing' },
      effects: [{ key, kind: 'give_up_hub', with: { approval_id } }],
    }
  }
  const sent = state.sent + 1
  return {
    state: { ...state, phase: 'sending', sent },
    effects: [
      {
        key: `${what}/${state.confirmed ? 'again' : 'first'}/${sent}`,
        kind: 'tell_hub',
        with: { what, nonce, call_id, approval_id },
      },
    ],
  }
}

function wait(state: HubReport, now: number): Next {
  const [first, longest] = state.confirmed ? [AGAIN_MS, AGAIN_LONGEST_MS] : [FIRST_MS, LONGEST_MS]
  const backOff = Math.min(longest, first * 2 ** Math.min(Math.max(state.sent - 1, 0), 20))
  // An unconfirmed request is rejected at its deadline, not after the next pause.
  const next_at = state.confirmed ? now + backOff : Math.min(now + backOff, Math.max(state.until, now + 1))
  return { state: { ...state, next_at }, effects: [], timers: { [SEND]: next_at } }
}
