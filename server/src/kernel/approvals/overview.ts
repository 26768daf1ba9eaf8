import type { OverviewAnswer } from '../contract/activity.ts'
import type { CallRow } from '../contract/call.ts'

/** The parts of a call that the overview uses. */
export type SeenCall = Pick<
  CallRow,
  'state' | 'tool_id' | 'caller' | 'received_at' | 'started_at' | 'ended_at' | 'verdict'
> & {
  readonly was_held: boolean
}
/** How long a person took to decide, or that the request expired. */
export type Answered = { readonly took_ms: number } | 'expired'

const STEPS = 96
const BUCKETS = [1, 5, 15, 30, 60] as const
const MOST_LISTED = 8
const MINUTE = 60_000

export type OverviewInput = {
  readonly from: number
  readonly to: number
  readonly complete_from: number
  readonly calls: readonly SeenCall[]
  readonly answered: readonly Answered[]
  readonly waiting: number
}

type Figures = Omit<OverviewAnswer, 'tokens' | 'needs'>

/** Statistics about the calls in a period. Pure. */
export function overviewOf({ from, to, complete_from, calls, answered, waiting }: OverviewInput): Figures {
  const step_ms = Math.max(MINUTE, Math.ceil((to - from) / STEPS))
  const steps = Math.max(1, Math.ceil((to - from) / step_ms))
  const series = Array.from({ length: steps }, (_, index) => ({
    at: from + index * step_ms,
    ran: 0,
    asked: 0,
    blocked: 0,
    failed: 0,
  }))
  const mix = { ran: 0, asked: 0, blocked: 0, failed: 0, unknown: 0 }
  for (const call of calls) {
    const kind = kindOf(call)
    mix[kind] += 1
    const step = series[Math.min(steps - 1, Math.max(0, Math.floor((call.received_at - from) / step_ms)))]
    if (step !== undefined) step[kind === 'unknown' ? 'failed' : kind] += 1
  }
  const took = answered.flatMap((one) => (one === 'expired' ? [] : [one.took_ms])).toSorted((a, b) => a - b)
  const median_ms = took[Math.floor(took.length / 2)]
  return {
    from,
    to,
    complete_from,
    calls: calls.length,
    per_minute: calls.filter(({ received_at }) => received_at > to - MINUTE).length,
    step_ms,
    series,
    mix,
    held: {
      count: answered.length,
      ...(median_ms === undefined ? {} : { median_ms }),
      buckets: bucketsOf(took),
      expired: answered.filter((one) => one === 'expired').length,
      waiting,
    },
    slowest: slowestOf(calls),
    callers: callersOf(calls),
  }
}

/** Each call counts once: one that a person was asked about is `asked`, whatever its outcome. */
function kindOf({ state, verdict, was_held }: SeenCall): keyof OverviewAnswer['mix'] {
  if (state === 'unknown') return 'unknown'
  if (was_held || state === 'pending') return 'asked'
  if (state === 'refused' || verdict.effect === 'block') return 'blocked'
  return state === 'failed' ? 'failed' : 'ran'
}

function bucketsOf(took: readonly number[]): Figures['held']['buckets'] {
  const bounds = [...BUCKETS, null]
  return bounds.map((under_minutes, index) => {
    const least = (BUCKETS[index - 1] ?? 0) * MINUTE
    const most = under_minutes === null ? Infinity : under_minutes * MINUTE
    return { under_minutes, count: took.filter((ms) => ms >= least && ms < most).length }
  })
}

function slowestOf(calls: readonly SeenCall[]): Figures['slowest'] {
  const times = new Map<string, number[]>()
  for (const { tool_id, started_at, ended_at } of calls)
    if (started_at !== undefined && ended_at !== undefined)
      (times.get(tool_id) ?? times.set(tool_id, []).get(tool_id))?.push(ended_at - started_at)
  return [...times]
    .map(([tool_id, all]) => {
      const sorted = all.toSorted((a, b) => a - b)
      return { tool_id, calls: all.length, p95_ms: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0 }
    })
    .toSorted((a, b) => b.p95_ms - a.p95_ms)
    .slice(0, MOST_LISTED)
}

function callersOf(calls: readonly SeenCall[]): Figures['callers'] {
  const callers = new Map<string, Figures['callers'][number]>()
  for (const call of calls) {
    const { id, user } = call.caller
    const key = JSON.stringify([id, user])
    const before = callers.get(key) ?? { id, user, calls: 0, asked: 0, blocked: 0 }
    const kind = kindOf(call)
    callers.set(key, {
      ...before,
      calls: before.calls + 1,
      asked: before.asked + (kind === 'asked' ? 1 : 0),
      blocked: before.blocked + (kind === 'blocked' ? 1 : 0),
    })
  }
  return [...callers.values()].toSorted((a, b) => b.calls - a.calls).slice(0, MOST_LISTED)
}
