import type { Caller } from '../contract/caller.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import type { CallId } from '../contract/ids.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import { describeCall, type Links } from './describe-call.ts'
import type { Page, Tables, Stored } from '../ports/reads.ts'
import { mayContinue } from '../identity/grants.ts'
import { waitForCall, type WaitDeps } from './read-call.ts'
import { auditOf } from './call-changes.ts'
import type { EndPorts } from '../approvals/end-approval.ts'
import type { Liveness } from '../ports/liveness.ts'
import { isAskedAbout } from './close-call.ts'
import { isOrphaned } from './recover-calls.ts'
import type { RunningCalls } from './running-calls.ts'
import { withdrawCall } from './withdraw-call.ts'

/** A call as followed by the caller that made it as a task. A view of the call's row: it has no state of its own. */
export type CallTask = {
  readonly call_id: CallId
  readonly tool_id: string
  readonly state: 'working' | 'over' | 'cancelled'
  readonly outcome: Outcome
  readonly created_at: number
  readonly updated_at: number
}

/** Only the caller that made the call, with at least its grant: an approver who may see it did not make it. */
export function isOwnTask(caller: Caller, row: CallRow): boolean {
  return row.task_of === callerIdentity(caller) && mayContinue(caller, row.caller)
}

export function taskIn(row: CallRow, links: Links): CallTask {
  const { call_id, tool_id, received_at, started_at, ended_at, settled, retry, called_off } = row
  return {
    call_id,
    tool_id,
    state: stateOf(row),
    outcome: describeCall(row, links),
    created_at: received_at,
    updated_at: Math.max(
      received_at,
      started_at ?? 0,
      ended_at ?? 0,
      settled?.at ?? 0,
      retry?.at ?? 0,
      called_off?.at ?? 0,
    ),
  }
}

/**
 * INVARIANT: an ended task stays ended, whatever happens to the row. That is why an unknown outcome is not an end: a person will
 * settle it, and may order a retry.
 */
function stateOf(row: CallRow): CallTask['state'] {
  if (row.called_off !== undefined || row.problem?.code === 'approval.withdrawn') return 'cancelled'
  const isInProgress = row.state === 'pending' || row.state === 'executing' || row.state === 'unknown'
  return isInProgress || row.due !== undefined ? 'working' : 'over'
}

/** The current task; with a signal, once it has ended or the signal says that nobody waits any more. */
export async function readTask(
  deps: WaitDeps & { readonly links: Links },
  caller: Caller,
  call_id: string,
  waiting?: AbortSignal,
): Promise<Result<CallTask>> {
  const held = await deps.tables.row('calls', call_id)
  if (held === undefined || !isOwnTask(caller, held.row)) return refuse('task.unknown', { task_id: call_id })
  if (waiting === undefined) return ok(taskIn(held.row, deps.links))
  const row = await waitForCall(deps, held.row, { signal: waiting }, (found) => stateOf(found) !== 'working')
  return ok(taskIn(row, deps.links))
}

export type TasksPage = { readonly items: readonly CallTask[]; readonly next?: number }

/** The caller's own tasks, newest first. */
export async function listTasks(
  deps: { readonly tables: Tables; readonly links: Links },
  caller: Caller,
  page: Omit<Page, 'newest_first'>,
): Promise<TasksPage> {
  const held = await deps.tables.list('calls', { task_of: callerIdentity(caller) }, { ...page, newest_first: true })
  const last = held.length === page.limit ? held.at(-1) : undefined
  const items = held.filter(({ row }) => isOwnTask(caller, row)).map(({ row }) => taskIn(row, deps.links))
  return { items, ...(last === undefined ? {} : { next: last.cursor }) }
}

export type CancelDeps = EndPorts &
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
async function stop(deps: CancelDeps, by: Caller, held: Stored<'calls'>): Promise<boolean> {
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
async function giveUp(deps: CancelDeps, by: Caller, { row, version }: Stored<'calls'>): Promise<boolean> {
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
