import type { AuditDraft } from '../contract/audit.ts'
import type { RunId } from '../contract/ids.ts'
import { Bug } from '../contract/problems.ts'
import {
  isEndedRun,
  type ChildRun,
  type DriverEvent,
  type RunEffect,
  type RunEvent,
  type RunKind,
  type RunRow,
  type Step,
} from '../contract/run.ts'

/** A run after some events, and everything that must be committed or current with it. */
export type Advanced = {
  readonly row: RunRow
  /** Marked by this advance: to be current once it is committed. */
  readonly begun: readonly RunEffect[]
  /** Keys of effects in progress that are no longer needed. */
  readonly cancelled: readonly string[]
  readonly audit: readonly AuditDraft[]
  readonly children: readonly ChildRun[]
  readonly send: readonly { readonly run: RunId; readonly event: RunEvent }[]
}

/** Who drives the run, and when. */
export type RunMoment = { readonly now: number; readonly boot: string }

/**
 * Feeds events, in order, to the kind's step. Pure: the same row and events give the same result.
 * INVARIANT: a mark is removed only with the event that ends its effect, or with the end of the run (law in driver-model.test.ts).
 * INVARIANT: a request to cancel an effect is kept as long as its mark, so that neither the start nor a restart of it loses the
 * request.
 * INVARIANT: a timer is removed only when it fires, is cleared by a step, or the run ends.
 */
export function advanceRun(
  kind: RunKind,
  before: RunRow,
  events: readonly RunEvent[],
  { now, boot }: RunMoment,
): Advanced {
  let advance: Draft = { row: before, cancelled: [], audit: [], children: [], send: [] }
  for (const event of events) advance = takeEvent(kind, advance, event, now)
  const known = new Set(before.executing.map(({ key }) => key))
  const { row } = advance
  return {
    ...advance,
    row: settledRow(withCancelling({ ...row, cursor: before.cursor + events.length }, advance.cancelled), boot),
    begun: row.executing.filter(({ key }) => !known.has(key)),
    cancelled: advance.cancelled.filter((key) => known.has(key)),
  }
}

type Draft = Omit<Advanced, 'begun'>

function takeEvent(kind: RunKind, draft: Draft, event: RunEvent, now: number): Draft {
  // An ended run ignores further events.
  if (isEndedRun(draft.row)) return draft
  const current = withoutFired(draft.row, event)
  const step = kind.step(current.state, event)
  const row = isEnd(step) ? endedRow(current, step, now) : goneOn(kind, current, step)
  const parent = isEnd(step) ? eventForParent(row) : []
  return {
    row,
    cancelled: [...draft.cancelled, ...(isEnd(step) ? current.executing.map(({ key }) => key) : (step.cancel ?? []))],
    audit: [...draft.audit, ...(step.audit ?? []).map((entry) => ({ ...entry, at: now }))],
    children: [...draft.children, ...(step.start ?? [])],
    send: [...draft.send, ...(step.send ?? []), ...parent],
  }
}

/** Removes a timer that fired, or the mark of an effect that ended. */
function withoutFired(row: RunRow, event: RunEvent): RunRow {
  const { name, key } = event
  if (event.type === 'timer' && typeof name === 'string') {
    const { [name]: _, ...timers } = row.timers
    return { ...row, timers }
  }
  if (!event.type.startsWith('effect.') || typeof key !== 'string') return row
  return { ...row, executing: row.executing.filter((effect) => effect.key !== key) }
}

const isEnd = (step: Step): boolean => step.ends !== undefined

function goneOn(kind: RunKind, row: RunRow, step: Step): RunRow {
  const keys = new Set(row.executing.map(({ key }) => key))
  for (const { key, kind: effect } of step.effects) {
    if (keys.has(key)) throw new Bug(`the effect \`${key}\` is already in progress`)
    if (!Object.hasOwn(kind.effects, effect)) throw new Bug(`\`${kind.kind}\` has no effect \`${effect}\``)
    keys.add(key)
  }
  const { waits_for: waited, ...rest } = row
  const waits_for = step.waits_for === undefined ? waited : (step.waits_for ?? undefined)
  return {
    ...rest,
    state: step.state,
    executing: [...row.executing, ...step.effects],
    timers: movedTimers(row.timers, step.timers ?? {}),
    ...(waits_for === undefined ? {} : { waits_for }),
  }
}

function movedTimers(timers: RunRow['timers'], moves: Readonly<Record<string, number | null>>): RunRow['timers'] {
  const moved = Object.entries({ ...timers, ...moves }).filter(([, at]) => at !== null)
  return Object.fromEntries(moved) as RunRow['timers']
}

function endedRow(row: RunRow, step: Step, now: number): RunRow {
  const { waits_for: _, ...rest } = row
  return {
    ...rest,
    state: step.state,
    status: step.ends ?? 'done',
    executing: [],
    timers: {},
    ended_at: now,
    ...(step.result === undefined ? {} : { result: step.result }),
  }
}

function eventForParent({ parent, run_id, status, result }: RunRow): Advanced['send'] {
  if (parent === undefined) return []
  const event = { type: 'child.ended', run_id, status, result: result ?? null } satisfies DriverEvent
  return [{ run: parent, event }]
}

function withCancelling({ cancelling: before = [], ...row }: RunRow, requested: readonly string[]): RunRow {
  const keys = new Set([...before, ...requested])
  const cancelling = row.executing.map(({ key }) => key).filter((key) => keys.has(key))
  return cancelling.length === 0 ? row : { ...row, cancelling }
}

/** Derives status and driver from the rest. A successful step resets the fault count. */
function settledRow({ driver: _driver, fault: _fault, ...row }: RunRow, boot: string): RunRow {
  if (isEndedRun(row)) return row
  return row.executing.length > 0 ? { ...row, status: 'active', driver: boot } : { ...row, status: 'waiting' }
}

/** The earliest of a run's timers. */
export function nextTimer({ timers }: Pick<RunRow, 'timers'>): number | undefined {
  const times = Object.values(timers)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The timers that are due, earliest first; simultaneous ones by name. */
export function dueTimers({ timers }: Pick<RunRow, 'timers'>, now: number): RunEvent[] {
  return Object.entries(timers)
    .filter(([, at]) => at <= now)
    .toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .map(([name, at]) => ({ type: 'timer', name, now, at }) satisfies DriverEvent)
}
