import { ThreadId, type AgentStatus } from './agent.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import type { RunRow } from '../../kernel/contract/run.ts'
import { newestSender, type AgentState } from './state.ts'
import { agent } from './step.ts'
import { mayContinue, mayReadWorkOf } from '../../kernel/identity/grants.ts'
import type { Digest } from '../../kernel/ports/runtime.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { ByRun } from '../../kernel/contract/call.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { Documents, OpenDocument } from '../workflows/api.ts'

export type ThreadPorts = { readonly tables: Tables; readonly digest: Digest }

export type Thread = { readonly run: RunRow; readonly state: AgentState }

/**
 * A thread is one run, and its id is derived from the thread's: no table of threads is needed, and two nodes cannot create two of
 * one.
 */
export const runOfThread = ({ digest }: Pick<ThreadPorts, 'digest'>, thread_id: string): RunId =>
  `run_${digest(JSON.stringify(['agent', thread_id])).slice(0, 16)}`

/** The same key of the same caller is the same thread. */
export const threadOfKey = ({ digest }: Pick<ThreadPorts, 'digest'>, caller: Caller, key: string): string =>
  threadNamed(digest(JSON.stringify(['agent', caller.id, caller.user, key])))

/** A version 4 UUID of 32 random hex digits. */
export function threadNamed(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4] ?? '8'
  return `thread_${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The row was written by this kind's own step. */
export const stateOf = (run: RunRow): AgentState => run.state as AgentState

/**
 * Undefined if there is none, if it is another caller's, or if a credential with a larger grant has written in it: invisible threads are
 * reported as missing.
 */
export async function ownThread(deps: ThreadPorts, caller: Caller, thread_id: string): Promise<Thread | undefined> {
  const thread = await threadNow(deps, thread_id)
  return thread !== undefined && mayContinue(caller, callerOf(thread)) ? thread : undefined
}

/** For somebody who was allowed to write in it. */
export async function threadNow(deps: ThreadPorts, thread_id: string): Promise<Thread | undefined> {
  return ThreadId.safeParse(thread_id).success ? threadOf(deps, runOfThread(deps, thread_id)) : undefined
}

/** For reading: anybody who may see what its calls returned. */
export async function visibleThread(deps: ThreadPorts, caller: Caller, run_id: string): Promise<Thread | undefined> {
  const thread = await threadOf(deps, run_id)
  return thread !== undefined && mayReadThread(caller, thread) ? thread : undefined
}

export const mayReadThread = (caller: Caller, thread: Thread): boolean => mayReadWorkOf(caller, callerOf(thread))

/** The sender of its newest message: each one's credential grants at least what the one before it does. */
const callerOf = ({ state }: Thread): Caller => Caller.parse(newestSender(state))

async function threadOf({ tables }: ThreadPorts, run_id: string): Promise<Thread | undefined> {
  const run = (await tables.row('runs', run_id))?.row
  return run?.kind === agent.kind && run.expired_at === undefined ? { run, state: stateOf(run) } : undefined
}

/** The status of a thread as shown to people. */
export const statusOf = ({ run, state }: Thread): AgentStatus => {
  if (run.status === 'cancelled') return 'cancelled'
  if (run.status === 'faulted') return 'failed'
  return state.node === 'END' ? state.status : 'running'
}

export type ThreadDocumentPorts = { readonly documents: Pick<Documents, 'version'> }

/** The version of the document whose agent answers in this thread; undefined for a thread without one. */
export async function documentOf(
  { documents }: ThreadDocumentPorts,
  { document }: AgentState,
): Promise<OpenDocument | undefined> {
  if (document === undefined) return undefined
  const opened = await documents.version(document.name, document.version)
  if (opened === undefined) throw new Bug(`version ${document.version} of \`${document.name}\` no longer exists`)
  return opened
}

/** The origin of every call of a thread, including the document, so that its capabilities apply. */
export const byThread = ({ run_id, document }: AgentState): Omit<ByRun, 'step'> => ({
  run_id,
  kind: agent.kind,
  lane: null,
  at_least: 'allow',
  ...(document === undefined ? {} : { document: `${document.name}@${document.version}` }),
  ...(document === undefined || document.hold_s === null ? {} : { hold_s: document.hold_s }),
})
