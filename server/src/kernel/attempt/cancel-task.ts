import type { Caller } from '../contract/caller.ts'
import type { CallRow } from '../contract/call.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { auditOf } from './call-changes.ts'
import type { Links } from './describe-call.ts'
import type { EndDeps } from '../approvals/end-approval.ts'
import type { Liveness } from '../ports/liveness.ts'
import type { Held } from '../ports/reads.ts'
import { isAskedAbout } from './close-call.ts'
import { isOrphaned } from './is-orphaned.ts'
import { isOwnTask, taskIn, type CallTask } from './read-task.ts'
import type { RunningCalls } from './running-calls.ts'
import { waitForCall, type WaitDeps } from './wait-for-call.ts'
import { withdrawCall } from './withdraw-call.ts'

export type CancelDeps = EndDeps &
  WaitDeps & {
    readonly links: Links
    readonly running: RunningCalls
    readonly boot: string
    readonly liveness: Pick<Liveness, 'isAlive'>
  }

/** Between two states, for example approved but not started, there is nothing to stop: the next state follows soon. */
const TRIES = 50
const PAUSE_MS = 20
/** A tool server that was asked to stop need not answer: after this time, what is known is recorded. */
const STOP_MS = 10_000

/**
 * The caller of a task cancels it. A held call is withdrawn, and no approval can run it any more. For a running call the tool server is
 * notified, and a person settles what may have happened by then. A call with an unknown outcome stays unchanged, its caller stops
 * waiting for the person who settles it, and a request for its retry is withdrawn.
 */
export async function cancelTask(deps: CancelDeps, by: Caller, call_id: string): Promise<Result<CallTask>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await deps.tables.row('calls', call_id)
    if (held === undefined || !isOwnTask(by, held.row)) return refuse('task.unknown', { task_id: call_id })
    const { state, outcome } = taskIn(held.row, deps.links)
    const isStopped = state === 'cancelled' && tries > 0
    if (isStopped) return ok(taskIn(held.row, deps.links))
    if (state !== 'working') return refuse('task.over', { task_id: call_id, status: outcome.status })
    if (!(await stop(deps, by, held))) await pause(deps)
  }
  return refuse('task.not_stopped', { task_id: call_id })
}

/** Whether something was done about it; the row shows the result. */
async function stop(deps: CancelDeps, by: Caller, held: Held<'calls'>): Promise<boolean> {
  const { row } = held
  if (isAskedAbout(row)) return (await withdrawCall(deps, by, row.call_id)).ok
  if (row.state === 'unknown') return giveUp(deps, by, held)
  if (row.state !== 'executing') return false
  const isHere = deps.running.callOff(row.call_id, by.id)
  // The node that runs it was notified. If that node is dead, recovery ends the call.
  if (!isHere && (row.boot === deps.boot || (await isOrphaned(deps.liveness, row)))) return false
  await waitForCall(deps, row, { wait_ms: STOP_MS }, ({ state }) => state !== 'executing')
  return true
}

/** The call stays unchanged, for a person to settle. */
async function giveUp(deps: CancelDeps, by: Caller, { row, version }: Held<'calls'>): Promise<boolean> {
  const at = deps.clock()
  const to: CallRow = { ...row, called_off: { by: by.id, at } }
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'calls', id: row.call_id, from: version, to },
    { kind: 'audit', entry: auditOf('call.called_off', to, at, { actor: by.id, outcome: row.state }) },
  ])
  return recorded === 'committed'
}

function pause(deps: CancelDeps): Promise<void> {
  return new Promise((resolve) => void deps.after(PAUSE_MS, resolve))
}
