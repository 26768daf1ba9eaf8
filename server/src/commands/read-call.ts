import type { Caller } from '../contract/caller.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import { DECIDING_KINDS } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { grantedTools } from '../core/identity/granted-tools.ts'
import { describeCall, type Links } from './describe-call.ts'
import type { Shelves } from './ports.ts'
import type { Watch } from './watch-rows.ts'

export type ReadCallDeps = {
  readonly shelves: Shelves
  readonly watch: Watch
  readonly links: Links
  /** Whoever waits is answered with what is known when the gate stops. */
  readonly stopping: AbortSignal
  readonly after: (ms: number, callback: () => void) => () => void
}

export const LONGEST_WAIT_MS = 60_000

/**
 * An agent sees its own calls, a person those made in their name, an approver all; a key that is limited to tools, those of
 * its tools. Invisible equals missing.
 */
export function maySeeCall(caller: Caller, row: Pick<CallRow, 'caller' | 'tool_id'>): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  if (!grantedTools(caller)(row.tool_id)) return false
  return caller.kind === 'agent' ? row.caller.id === caller.id : row.caller.user === caller.user
}

/** The outcome as it stands, after waiting a bounded time for one that is not there yet. Asking never executes. */
export async function readCall(
  deps: ReadCallDeps,
  caller: Caller,
  call_id: string,
  wait_ms = 0,
): Promise<Result<Outcome>> {
  const held = await deps.shelves.row('calls', call_id)
  if (held === undefined || !maySeeCall(caller, held.row)) return refuse('call.unknown', { call_id })
  if (wait_ms <= 0 || deps.stopping.aborted || isOver(held.row)) return ok(describeCall(held.row, deps.links))
  return ok(describeCall(await waitFor(deps, call_id, Math.min(wait_ms, LONGEST_WAIT_MS), held.row), deps.links))
}

/** Whoever waits, waits for the read-back too. */
const isOver = (row: CallRow) => row.state !== 'pending' && row.state !== 'executing' && row.due === undefined

async function waitFor(deps: ReadCallDeps, call_id: string, wait_ms: number, first: CallRow): Promise<CallRow> {
  return new Promise((resolve, reject) => {
    let last = first
    const finish = (row: CallRow) => {
      stopListening()
      cancel()
      deps.stopping.removeEventListener('abort', stop)
      resolve(row)
    }
    const look = async () => {
      last = (await deps.shelves.row('calls', call_id))?.row ?? last
      if (isOver(last)) finish(last)
    }
    const stopListening = deps.watch.onRow((table, id) => {
      if (table === 'calls' && id === call_id) look().catch(reject)
    })
    const stop = () => finish(last)
    const cancel = deps.after(wait_ms, stop)
    deps.stopping.addEventListener('abort', stop)
    // It may have ended between the caller's look and the listening.
    look().catch(reject)
  })
}
