import type { RunId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import type { RunEffect, RunEvent, RunKind, RunOwner, RunRow, Step } from '../contract/run.ts'

/** A run's row after its first step. Effects start with its first event, which the driver feeds to it. */
export function beginRun<State extends Json, Event extends RunEvent, Effect extends RunEffect>(
  { kind }: RunKind<State, Event, Effect>,
  run_id: RunId,
  { state, timers, waits_for }: Pick<Step<State>, 'state' | 'timers' | 'waits_for'>,
  created_at: number,
  labels: RunOwner = {},
): RunRow {
  const set = Object.entries(timers ?? {}).filter(([, at]) => at !== null)
  return {
    v: 2,
    ...labels,
    run_id,
    kind,
    status: 'waiting',
    state,
    cursor: 0,
    executing: [],
    timers: Object.fromEntries(set) as RunRow['timers'],
    ...(typeof waits_for === 'string' ? { waits_for } : {}),
    created_at,
  }
}
