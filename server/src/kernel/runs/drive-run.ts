import type { RunId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import { Bug } from '../contract/problems.ts'
import { isEndedRun, type RunEffect, type RunEvent, type RunKind, type RunRow } from '../contract/run.ts'
import { advanceRun, dueTimers, nextTimer, type Advanced } from './advance-run.ts'
import type { Change, Committed, Ledger } from '../ports/ledger.ts'
import type { Liveness } from '../ports/liveness.ts'
import type { Stored, Journal, Tables } from '../ports/reads.ts'
import type { Clock, Probe } from '../ports/runtime.ts'
import { createWakeSignal, type WakeSignal } from './wake-signal.ts'
import { createRunningEffects, type RunningEffects } from './running-effects.ts'
import { missedEnds } from './missed-ends.ts'
import { ANY_CURSOR, faultedRow, giveUp, mayTryNow, parkFaulted } from './park-run.ts'
import type { Performers } from './performer.ts'
import { ownedRun, type OwnedRun } from './may-see-run.ts'
import type { ShownRun } from './run-output.ts'
import { childRunChanges, restChange, addRunEvent } from './run-changes.ts'
import type { Doubts } from '../changes/resolve-doubts.ts'
import { isInDoubt } from '../changes/unrecorded.ts'

export type DrivePorts = {
  readonly kinds: ReadonlyMap<string, RunKind>
  readonly performers: Performers
  readonly ledger: Ledger
  readonly doubts: Doubts
  readonly tables: Pick<Tables, 'row'>
  readonly journal: Pick<Journal, 'events'>
  readonly liveness: Pick<Liveness, 'isAlive'>
  readonly boot: string
  readonly clock: Clock
  readonly probe: Probe
  readonly after: (ms: number, callback: () => void) => () => void
  /** Intermediate output of a performer, for watchers. */
  readonly emit: (run: ShownRun, key: string, wake: Json) => void
  /** An effect of a run that is not being driven has ended. */
  readonly onFinished: (run: RunId) => void
  readonly onFault: (run: RunId, error: unknown) => void
}

/** `parked`: until the next wake-up. `elsewhere`: another node performs its effects. `stopped`: this process ends. */
export type Driven = 'parked' | 'ended' | 'elsewhere' | 'stopped'

export interface RunDriver {
  /** Drives a run until it parks. The caller makes sure that a run is not driven twice at once. `read`: its row, if it was just read. */
  drive(run: RunId, read?: Stored<'runs'>): Promise<Driven>
  /** There are new events for a run. False if it is not being driven. */
  poke(run: RunId): boolean
  /** There may be new events for every driven run. */
  pokeAll(): void
  /** Every attempt of a node to drive this run failed: an admin has to intervene. */
  giveUp(run: RunId, says: string): Promise<void>
  /** Starts nothing more. Work in progress ends, and its results are kept for the next process. */
  stop(): void
}

const AGAIN_MS = 500
/** The most events read for one step commit. */
const AT_ONCE = 64
const LONGEST_WAIT_MS = 3_600_000

/**
 * The driver of all runs of this process. One step is one commit: its events, the new state, and the marks of the effects it is
 * about to start. See docs/decisions/run-driver.md
 * INVARIANT: an effect is durably marked before it starts, unless it is guarded, and its mark is removed in the commit that holds
 * its result.
 * INVARIANT: only the boot that a row names performs its effects; a boot that takes a run over raises its version first.
 */
export function createRunDriver(deps: DrivePorts): RunDriver {
  const sessions = new Map<RunId, Session>()
  let stopping = false

  function sessionOf(run_id: RunId): Session {
    const known = sessions.get(run_id)
    if (known !== undefined) return known
    const wake = createWakeSignal()
    const session: Session = {
      run_id,
      wake,
      isDriven: false,
      owned: {},
      runningEffects: createRunningEffects({
        run_id,
        after: deps.after,
        emit: (key, shown) => deps.emit({ run_id, ...session.owned }, key, shown),
        onFinished: () => (session.isDriven ? wake.set() : deps.onFinished(run_id)),
      }),
    }
    sessions.set(run_id, session)
    return session
  }

  return {
    async drive(run, read) {
      const session = sessionOf(run)
      session.isDriven = true
      try {
        for (let first = read; ; first = undefined) {
          const driven = await driveSession(deps, session, first, () => stopping).catch((error: unknown) =>
            parkFaulted(deps, run, error),
          )
          if (driven !== 'parked' || !session.wake.isSet()) return driven
        }
      } finally {
        session.isDriven = false
        // If effects are in progress the session is kept: the next drive finds their results.
        if (session.runningEffects.size === 0) sessions.delete(run)
      }
    },
    poke(run) {
      const session = sessions.get(run)
      if (session?.isDriven !== true) return false
      session.wake.set()
      return true
    },
    pokeAll() {
      for (const { wake, isDriven } of sessions.values()) if (isDriven) wake.set()
    },
    giveUp: (run, says) => giveUp(deps, run, says),
    stop() {
      stopping = true
      for (const { wake, runningEffects } of sessions.values()) {
        runningEffects.stop()
        wake.set()
      }
    },
  }
}

/** One run in this process's memory. */
type Session = {
  readonly run_id: RunId
  readonly runningEffects: RunningEffects
  readonly wake: WakeSignal
  isDriven: boolean
  /** Known once the run was read, which is before any of its effects is performed. */
  owned: OwnedRun
}

async function driveSession(
  deps: DrivePorts,
  session: Session,
  read: Stored<'runs'> | undefined,
  isStopping: () => boolean,
): Promise<Driven> {
  const { runningEffects, wake, run_id } = session
  let held = read
  let isWoken = true
  /** The last step was committed together with everything the journal contained. */
  let isRead = false
  for (;;) {
    const isSignalled = wake.isSet()
    wake.clear()
    held ??= await load(deps, run_id)
    const { row } = held
    session.owned = ownedRun(deps.kinds, row)
    dropStale(runningEffects, row)
    const now = deps.clock()
    if (isEndedRun(row)) {
      runningEffects.cancelAll()
      return (await rest(deps, row)) ? 'ended' : 'parked'
    }
    // Its contents are in the memory of another node, which gets the wake-up and drives it.
    if (row.in_memory !== undefined) return 'parked'
    if (row.driver !== undefined && row.driver !== deps.boot) {
      if (await deps.liveness.isAlive(row.driver)) {
        runningEffects.cancelAll()
        return 'elsewhere'
      }
      held = await apply(deps, session, held, takeOver(deps, row))
      continue
    }
    if (isStopping() || row.status === 'faulted' || !mayTryNow(row, now)) {
      const kept = keepFinished(runningEffects, row)
      if (kept !== undefined) held = await apply(deps, session, held, kept)
      else if (!isStopping()) return (await rest(deps, row)) ? 'parked' : 'stopped'
      else if (runningEffects.size === 0) return 'stopped'
      else await wake.wait(undefined, deps.after)
      continue
    }
    // A result can be processed without reading the journal: `rest` makes the step lose if something else arrived before it.
    const mustRead = !isRead || (isSignalled && runningEffects.finished().length === 0)
    const look = await lookAt(deps, runningEffects, row, now, mustRead)
    if (look.changes !== undefined) {
      held = await apply(deps, session, held, look)
      isWoken = false
      isRead = held !== undefined && look.isWhole
      if (held !== undefined && look.isWhole && held.row.executing.length === 0)
        return isEndedRun(held.row) ? 'ended' : 'parked'
      continue
    }
    start(deps, runningEffects, row)
    if (runningEffects.size > 0) {
      const next = nextTimer(row)
      await wake.wait(next === undefined ? undefined : Math.min(LONGEST_WAIT_MS, Math.max(1, next - now)), deps.after)
    } else if (isWoken) {
      // Nothing to do: the wake-up is removed, unless something has arrived since.
      isWoken = false
      await deps.ledger.commit([restChange(row, row.cursor)])
    } else return 'parked'
  }
}

async function load({ tables }: DrivePorts, run_id: RunId): Promise<Stored<'runs'>> {
  const held = await tables.row('runs', run_id)
  if (held === undefined) throw new Bug(`a wake-up names the absent run \`${run_id}\``)
  return held
}

/** After reading the store: an effect that is no longer marked has its result there, or was given up. */
function dropStale(runningEffects: RunningEffects, { executing }: RunRow): void {
  for (const { effect } of runningEffects.finished())
    if (!executing.some(({ key }) => key === effect.key)) runningEffects.remove(effect.key)
}

/** The next row, what is committed with it, and what is done afterwards. */
type Move = {
  readonly row: RunRow
  readonly changes: readonly Change[]
  /** Keys whose results are in this commit. */
  readonly settled: readonly string[]
  readonly cancelled: readonly string[]
  /** Marked by this commit. Those that are guarded are started without waiting for it. */
  readonly begun?: readonly RunEffect[]
}

/**
 * For a step that only marks guarded effects. The decision that led to it is durable and wakes the run again if the database
 * loses the step.
 */
const SYNC_LATER: Change = { kind: 'sync_later', repeated: true }
const isOnlyMark = (changes: readonly Change[]): boolean => changes.every(({ kind }) => kind === 'rest')

/** Commits a move. Undefined if it was lost or could not be stored: the run is read again. */
async function apply(
  deps: DrivePorts,
  { runningEffects, wake }: Session,
  held: Stored<'runs'>,
  { row, changes, settled, cancelled, begun = [] }: Move,
): Promise<Stored<'runs'> | undefined> {
  const swap: Change = { kind: 'swap', table: 'runs', id: row.run_id, from: held.version, to: row }
  const guarded = begun.filter((effect) => repeatOf(deps, row, effect) === 'guarded')
  const isRepeated = guarded.length > 0 && guarded.length === begun.length && isOnlyMark(changes)
  deps.probe('step.before')
  const committing: Promise<Committed> = deps.ledger.commit([swap, ...changes, ...(isRepeated ? [SYNC_LATER] : [])])
  start(deps, runningEffects, row, guarded)
  const committed = await committing
  deps.probe('step.after')
  if (committed !== 'committed') {
    if (committed === 'unavailable') await wake.wait(AGAIN_MS, deps.after)
    // Only then does the row show the outcome.
    if (isInDoubt(committed)) await deps.doubts.known(committed.in_doubt)
    return undefined
  }
  for (const key of settled) runningEffects.remove(key)
  for (const key of cancelled) runningEffects.cancel(key)
  if (isEndedRun(row)) runningEffects.cancelAll()
  return { ...held, version: held.version + 1, row }
}

/** What a run has to do now, as one commit; without changes if there is nothing. */
type Look = (Move & { readonly isWhole: boolean }) | { readonly changes?: undefined }

async function lookAt(
  deps: DrivePorts,
  runningEffects: RunningEffects,
  row: RunRow,
  now: number,
  mustRead: boolean,
): Promise<Look> {
  const finished = runningEffects.finished()
  const failed = finished.find((one) => 'threw' in one && repeatOf(deps, row, one.effect) !== 'once')
  if (failed !== undefined && 'threw' in failed)
    return { ...fault(deps, runningEffects, row, failed.threw, now), isWhole: false }
  const found = mustRead ? await deps.journal.events(row.run_id, row.cursor, AT_ONCE) : []
  const unread = found.map(({ event }) => event)
  const isWhole = unread.length < AT_ONCE
  // The driver's own events come after all unread ones, as in the journal.
  const results = isWhole ? finished.map(resultOf) : []
  const missed = isWhole ? await missedEnds(deps.tables, [...unread, ...results]) : []
  const made = isWhole ? [...results, ...missed, ...dueTimers(row, now)] : []
  if (unread.length + made.length === 0) return {}
  try {
    const advanced = advanceRun(kindOf(deps, row), row, [...unread, ...made], { now, boot: deps.boot })
    return {
      row: advanced.row,
      settled: results.map(({ key }) => key),
      cancelled: advanced.cancelled,
      begun: advanced.begun,
      changes: [
        ...(isWhole ? [restChange(advanced.row, row.cursor + unread.length)] : []),
        ...made.map((event): Change => ({ kind: 'event', run: row.run_id, event })),
        ...consequences(advanced, now),
      ],
      isWhole,
    }
  } catch (error) {
    return { ...fault(deps, runningEffects, row, error, now), isWhole: false }
  }
}

function consequences({ row, audit, children, send }: Advanced, now: number): Change[] {
  return [
    ...audit.map((entry): Change => ({ kind: 'audit', entry })),
    ...children.flatMap((child) => childRunChanges(child, row, now)),
    ...send.flatMap(({ run, event }) => addRunEvent(run, event)),
  ]
}

/** The performer of an effect that may not be repeated failed: it is not known how far it got. */
function resultOf(finished: ReturnType<RunningEffects['finished']>[number]): RunEvent & { readonly key: string } {
  const { key } = finished.effect
  return 'event' in finished ? { ...finished.event, key } : { type: 'effect.unknown', key }
}

/** A step or a performer threw: retried later, or parked for an admin. Known results are kept. */
function fault(deps: DrivePorts, runningEffects: RunningEffects, row: RunRow, error: unknown, now: number): Move {
  deps.onFault(row.run_id, error)
  for (const one of runningEffects.finished())
    if ('threw' in one && repeatOf(deps, row, one.effect) !== 'once') runningEffects.remove(one.effect.key)
  const kept = keep(row, runningEffects.finished().map(resultOf))
  const after = faultedRow(kept.row, error instanceof Error ? error.message : String(error), now)
  return { ...kept, row: after, changes: [...kept.changes, restChange(after, ANY_CURSOR)] }
}

/**
 * Writes events to the journal, unread, and removes their marks from the row, so that nothing known is lost if no step is taken.
 */
function keep(row: RunRow, events: readonly (RunEvent & { readonly key: string })[]): Move {
  const settled = events.map(({ key }) => key)
  const executing = row.executing.filter(({ key }) => !settled.includes(key))
  const { driver: _, ...parked } = row
  const isActive = executing.length > 0
  const status = row.status === 'faulted' ? 'faulted' : isActive ? 'active' : 'waiting'
  return {
    row: { ...(isActive ? row : parked), executing, status },
    changes: events.flatMap((event) => addRunEvent(row.run_id, event)),
    settled,
    cancelled: [],
  }
}

function keepFinished(runningEffects: RunningEffects, row: RunRow): Move | undefined {
  const events = runningEffects.finished().map(resultOf)
  return events.length === 0 ? undefined : keep(row, events)
}

/**
 * The boot that performed these effects no longer exists. This node takes over those that may be repeated; the outcome of the
 * others is unknown.
 */
function takeOver(deps: DrivePorts, row: RunRow): Move {
  const lost = row.executing.filter((effect) => repeatOf(deps, row, effect) === 'once')
  const kept = keep(
    row,
    lost.map(({ key }) => ({ type: 'effect.unknown', key })),
  )
  return kept.row.executing.length === 0 ? kept : { ...kept, row: { ...kept.row, driver: deps.boot } }
}

function start(deps: DrivePorts, runningEffects: RunningEffects, row: RunRow, effects = row.executing): void {
  for (const effect of effects) {
    if (runningEffects.has(effect.key)) continue
    const perform = deps.performers.get(effect.kind)
    if (perform === undefined) throw new Bug(`no performer for \`${effect.kind}\``)
    runningEffects.start(effect, perform, row.cancelling?.includes(effect.key))
  }
}

function repeatOf(deps: DrivePorts, row: RunRow, { kind }: RunEffect) {
  return kindOf(deps, row).effects[kind] ?? 'once'
}

function kindOf({ kinds }: DrivePorts, row: RunRow): RunKind {
  const kind = kinds.get(row.kind)
  if (kind === undefined) throw new Bug(`no run kind is called \`${row.kind}\``)
  return kind
}

/** For a run that has nothing to do now: whatever has arrived is read when it continues. */
async function rest(deps: DrivePorts, row: RunRow): Promise<boolean> {
  return (await deps.ledger.commit([restChange(row, ANY_CURSOR)])) === 'committed'
}
