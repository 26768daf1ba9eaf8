import type { Caller } from '../contract/caller.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import type { CallId } from '../contract/ids.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import { describeCall, type Links } from './describe-call.ts'
import type { Page, Tables } from '../ports/reads.ts'
import { mayContinue } from '../identity/grants.ts'
import { waitForCall, type WaitDeps } from './wait-for-call.ts'

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
