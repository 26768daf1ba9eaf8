import { ThreadId, type AgentStatus } from '../../contract/agent.ts'
import { Caller } from '../../contract/caller.ts'
import { isSameCaller } from '../../contract/caller-identity.ts'
import type { RunId } from '../../contract/ids.ts'
import type { RunRow } from '../../contract/run.ts'
import type { AgentState } from '../../core/agent/state.ts'
import { agent } from '../../core/agent/step.ts'
import { maySeeRun } from '../runs/may-see-run.ts'
import type { Digest } from '../ports/runtime.ts'
import type { Tables } from '../ports/reads.ts'

export type ThreadDeps = { readonly tables: Tables; readonly digest: Digest }

export type Thread = { readonly run: RunRow; readonly state: AgentState }

/**
 * A thread is one run, and its id is derived from the thread's: no table of threads is needed, and two nodes cannot create two of
 * one.
 */
export const runOfThread = ({ digest }: Pick<ThreadDeps, 'digest'>, thread_id: string): RunId =>
  `run_${digest(JSON.stringify(['agent', thread_id])).slice(0, 16)}`

/** The same key of the same caller is the same thread. */
export const threadOfKey = ({ digest }: Pick<ThreadDeps, 'digest'>, caller: Caller, key: string): string =>
  threadNamed(digest(JSON.stringify(['agent', caller.id, caller.user, key])))

/** A version 4 UUID of 32 random hex digits. */
export function threadNamed(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4] ?? '8'
  return `thread_${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The row was written by this kind's own step. */
export const stateOf = (run: RunRow): AgentState => run.state as AgentState

/** Undefined if there is none, or if it is another caller's: invisible threads are reported as missing. */
export async function ownThread(deps: ThreadDeps, caller: Caller, thread_id: string): Promise<Thread | undefined> {
  if (!ThreadId.safeParse(thread_id).success) return undefined
  const thread = await threadOf(deps, runOfThread(deps, thread_id))
  if (thread === undefined) return undefined
  return isSameCaller(Caller.parse(thread.state.caller), caller) ? thread : undefined
}

/** For reading: anybody who may see the run. */
export async function visibleThread(deps: ThreadDeps, caller: Caller, run_id: string): Promise<Thread | undefined> {
  const thread = await threadOf(deps, run_id)
  return thread !== undefined && maySeeRun(caller, thread.run) ? thread : undefined
}

async function threadOf({ tables }: ThreadDeps, run_id: string): Promise<Thread | undefined> {
  const run = (await tables.row('runs', run_id))?.row
  return run?.kind === agent.kind && run.expired_at === undefined ? { run, state: stateOf(run) } : undefined
}

/** The status of a thread as shown to people. */
export const statusOf = ({ run, state }: Thread): AgentStatus => {
  if (run.status === 'cancelled') return 'cancelled'
  if (run.status === 'faulted') return 'failed'
  return state.node === 'END' ? state.status : 'running'
}
