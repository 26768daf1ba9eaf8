import { type Caller, DECIDING_KINDS, PROGRAM_KINDS } from '../contract/caller.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import { mayContinue } from '../identity/grants.ts'
import { isAskedAbout } from './close-call.ts'
import { describeCall, type Links } from './describe-call.ts'
import { isToBeRetried } from './retry-call.ts'
import { scopedKey, type KeyUse } from '../identity/idempotency-key.ts'
import type { SearchWhere, Tables } from '../ports/reads.ts'
import type { Watch } from '../changes/watch-rows.ts'

export type ReadCallDeps = WaitDeps & { readonly links: Links }

export const LONGEST_WAIT_MS = 60_000

/**
 * A program sees the calls that it may continue, a person those made in their name with tools that their key grants, an approver all.
 * Invisible calls are reported as missing.
 */
export function maySeeCall(caller: Caller, row: Pick<CallRow, 'caller' | 'tool_id'>): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  if (PROGRAM_KINDS.includes(caller.kind)) return mayContinue(caller, row.caller)
  return row.caller.user === caller.user && grantedTools(caller)(row.tool_id)
}

/**
 * Narrows a search for calls or requests to what the caller may see, so that fewer rows are read. Each row is still to be judged (`maySeeCall`, `maySeeApproval`). Undefined: the caller
 * asks only for calls of others.
 */
export function searchFor(caller: Caller, where: SearchWhere): SearchWhere | undefined {
  if (DECIDING_KINDS.includes(caller.kind)) return where
  if (where.user !== undefined && where.user !== caller.user) return undefined
  const own = { ...where, user: caller.user }
  if (!PROGRAM_KINDS.includes(caller.kind)) return own
  return where.caller === undefined || where.caller === caller.id ? { ...own, caller: caller.id } : undefined
}

/** The current outcome, after waiting a limited time if there is none yet. Reading never executes. */
export async function readCall(
  deps: ReadCallDeps,
  caller: Caller,
  call_id: string,
  wait_ms = 0,
): Promise<Result<Outcome>> {
  const held = await deps.tables.row('calls', call_id)
  if (held === undefined || !maySeeCall(caller, held.row)) return refuse('call.unknown', { call_id })
  if (wait_ms <= 0) return ok(describeCall(held.row, deps.links))
  const row = await waitForCall(deps, held.row, { wait_ms: Math.min(wait_ms, LONGEST_WAIT_MS) }, isOver)
  return ok(describeCall(row, deps.links))
}

/** Waiting includes the read-back, and a retry that a person or the recovery has ordered. */
const isOver = (row: CallRow) =>
  !isAskedAbout(row) && row.state !== 'executing' && row.due === undefined && !isToBeRetried(row)

const MOST_ROUNDS = 100

/**
 * The outcome of the call that this caller made under an idempotency key, for a client that lost the answer; for a call that its
 * tool answered with a question, the last round. Reading never executes anything.
 */
export async function readCallByKey(
  deps: ReadCallDeps,
  caller: Caller,
  key: string,
  wait_ms = 0,
): Promise<Result<Outcome>> {
  const inRound = async (use: KeyUse) =>
    (await deps.tables.list('calls', { idempotency_key: scopedKey(caller, key, use) }, { limit: 1 }))[0]
  let found = await inRound({ is: 'call' })
  for (let round = 2; found?.row.problem?.code === 'tool.asks' && round <= MOST_ROUNDS; round += 1) {
    const next = await inRound({ is: 'call', round })
    if (next === undefined) break
    found = next
  }
  return found === undefined
    ? refuse('call.unknown', { idempotency_key: key })
    : readCall(deps, caller, found.row.call_id, wait_ms)
}

export type WaitDeps = {
  readonly tables: Tables
  readonly watch: Watch
  /** When the gate stops, waiting callers get what is known. */
  readonly stopping: AbortSignal
  readonly after: (ms: number, callback: () => void) => () => void
}

/** How long to wait: a time, or until the signal is aborted. */
export type Patience = { readonly wait_ms: number } | { readonly signal: AbortSignal }

/** The call's row once it has ended, or its current state when the wait is over. */
export function waitForCall(
  deps: WaitDeps,
  first: CallRow,
  patience: Patience,
  isOver: (row: CallRow) => boolean,
): Promise<CallRow> {
  const { call_id } = first
  const ends = 'signal' in patience ? [deps.stopping, patience.signal] : [deps.stopping]
  if (isOver(first) || ends.some(({ aborted }) => aborted)) return Promise.resolve(first)
  return new Promise((resolve, reject) => {
    let last = first
    const finish = (row: CallRow) => {
      stopListening()
      cancel?.()
      for (const end of ends) end.removeEventListener('abort', stop)
      resolve(row)
    }
    const look = async () => {
      last = (await deps.tables.row('calls', call_id))?.row ?? last
      if (isOver(last)) finish(last)
    }
    const stopListening = deps.watch.onRow('calls', call_id, () => void look().catch(reject))
    const stop = () => finish(last)
    const cancel = 'wait_ms' in patience ? deps.after(patience.wait_ms, stop) : undefined
    for (const end of ends) end.addEventListener('abort', stop)
    // It may have ended between the caller's read and adding the listener.
    look().catch(reject)
  })
}
