import type { RunId } from '../../contract/ids.ts'
import { Bug } from '../../contract/problems.ts'
import type { RunEffect, RunEvent, RunKind, RunRow } from '../../contract/run.ts'
import type { Change, Clock, Held, Journal, Ledger, Probe, Shelves } from '../ports.ts'

/** Carries out one kind of effect. `later` leaves it marked, to be tried again. */
export type Performer = {
  /** Safe to start again when a crash hid its result. What is not becomes an `effect.unknown` event. */
  readonly idempotent: boolean
  perform(effect: RunEffect): Promise<RunEvent | 'later'>
}

export type DriveDeps = {
  readonly kinds: ReadonlyMap<string, RunKind>
  readonly performers: ReadonlyMap<string, Performer>
  readonly ledger: Ledger
  readonly shelves: Shelves
  readonly journal: Journal
  readonly clock: Clock
  readonly probe: Probe
}

/** `parked` costs nothing until the next wake-up; `later` wants to be driven again soon; `done` never again. */
export type Driven = 'parked' | 'done' | 'later'

/**
 * Drive one run until it parks. One step is one commit: the new state, and the effects it is about to start.
 * INVARIANT: an effect is durably marked before it starts, and its mark goes in the commit that holds its result.
 * INVARIANT: a second driver of the same run loses the version check and does no harm.
 */
export async function driveRun(deps: DriveDeps, run_id: RunId): Promise<Driven> {
  const startedHere = new Set<string>()
  let isFirstLook = true
  for (;;) {
    const held = await deps.shelves.row('runs', run_id)
    if (held === undefined) throw new Bug(`a wake-up names the absent run \`${run_id}\``)
    if (held.row.status === 'done') return (await rest(deps, held)) === 'later' ? 'later' : 'done'
    const [effect] = held.row.executing
    if (effect !== undefined) {
      if ((await finishEffect(deps, held, effect, startedHere)) === 'later') return 'later'
      continue
    }
    const [next] = await deps.journal.events(run_id, held.row.cursor, 1)
    if (next !== undefined) {
      if ((await takeStep(deps, held, next.seq, next.event, startedHere)) === 'later') return 'later'
    } else if (isFirstLook) {
      // Woken with nothing to read: a timer. It enters the journal, so that a replay sees it too.
      const timer: Change = { kind: 'event', run: run_id, event: { type: 'timer', now: deps.clock() } }
      if ((await deps.ledger.commit([timer])) === 'unavailable') return 'later'
    } else {
      const rested = await rest(deps, held)
      if (rested !== 'more') return rested
    }
    isFirstLook = false
  }
}

async function takeStep(
  deps: DriveDeps,
  held: Held<'runs'>,
  seq: number,
  event: RunEvent,
  startedHere: Set<string>,
): Promise<'stepped' | 'later'> {
  const kind = deps.kinds.get(held.row.kind)
  if (kind === undefined) throw new Bug(`no run kind is called \`${held.row.kind}\``)
  const step = kind.step(held.row.state, event)
  const row: RunRow = {
    ...held.row,
    state: step.state,
    cursor: seq,
    executing: step.effects,
    status: step.done === true ? 'done' : 'active',
  }
  const timers = (step.timers ?? []).map((at): Change => ({ kind: 'wake', run: row.run_id, at }))
  deps.probe('step.before')
  const committed = await deps.ledger.commit([swapRun(held, row), ...timers])
  deps.probe('step.after')
  if (committed === 'unavailable') return 'later'
  if (committed === 'committed') for (const effect of step.effects) startedHere.add(effect.key)
  return 'stepped'
}

/** Carry out a marked effect, or say that nobody knows: its result, as an event, takes the mark's place. */
async function finishEffect(
  deps: DriveDeps,
  held: Held<'runs'>,
  effect: RunEffect,
  startedHere: Set<string>,
): Promise<'finished' | 'later'> {
  const performer = deps.performers.get(effect.kind)
  if (performer === undefined) throw new Bug(`nobody performs \`${effect.kind}\``)
  const mayStart = startedHere.has(effect.key) || performer.idempotent
  const result = mayStart ? await performer.perform(effect) : { type: 'effect.unknown' }
  if (result === 'later') return 'later'
  const row: RunRow = { ...held.row, executing: held.row.executing.filter(({ key }) => key !== effect.key) }
  const event: RunEvent = { ...result, key: effect.key }
  const committed = await deps.ledger.commit([swapRun(held, row), { kind: 'event', run: row.run_id, event }])
  return committed === 'unavailable' ? 'later' : 'finished'
}

function swapRun(held: Held<'runs'>, to: RunRow): Change {
  return { kind: 'swap', table: 'runs', id: to.run_id, from: held.version, to }
}

/** Forget the wake-ups that were served; an event that came in between makes this fail, and the run goes on. */
async function rest(deps: DriveDeps, { row }: Held<'runs'>): Promise<'parked' | 'later' | 'more'> {
  const cursor = row.status === 'done' ? Number.MAX_SAFE_INTEGER : row.cursor
  const rested = await deps.ledger.commit([{ kind: 'rest', run: row.run_id, cursor, through: deps.clock() }])
  if (rested === 'unavailable') return 'later'
  return rested === 'committed' ? 'parked' : 'more'
}
