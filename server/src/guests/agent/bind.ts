import type { AgentAnswer, AgentBody } from './agent.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { AgentModels } from '../../kernel/ports/models.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import { ownThread } from './threads.ts'
import { afterAllOf, followThread, type FollowDeps, type Follower } from './follow-thread.ts'
import {
  cancelTurn,
  listThreads,
  readOwnThread,
  readThread,
  type CancelThreadDeps,
  type ThreadsPage,
  type ThreadView,
} from './read-threads.ts'
import { runAgent, withDevToken, type RunAgent, type RunAgentDeps } from './run-agent.ts'

export type AgentDeps = RunAgentDeps & FollowDeps & CancelThreadDeps & { readonly models: AgentModels }

/** Threads: a model plans and proposes, code decides. */
export interface AgentGate {
  /** `scripted`: no model is configured, and a script with a few phrases answers. */
  model(): { readonly model: 'configured' | 'scripted'; readonly phrases: readonly string[] }
  run(caller: Caller, body: AgentBody, more?: RunAgent): Promise<Result<AgentAnswer>>
  /** The same answer, in development with a token for what it waits for. Only for the answer of `/agent/run`. */
  withDevToken(caller: Caller, answer: AgentAnswer): Promise<AgentAnswer>
  read(caller: Caller, run_id: string): Promise<Result<ThreadView>>
  /** A thread of the caller. */
  readByThread(caller: Caller, thread_id: string): Promise<Result<ThreadView>>
  list(caller: Caller, page: Page): Promise<ThreadsPage>
  /** Stops what a thread is doing. */
  cancel(caller: Caller, thread_id: string): Promise<Result<ThreadView>>
  /** The id of the newest event of the caller's thread. */
  place(caller: Caller, thread_id: string): Promise<string | undefined>
  /** Reports what happened after an event and keeps reporting until it is stopped. */
  follow(caller: Caller, run_id: string, from: string | undefined, follower: Follower): Promise<Result<() => void>>
}

export const bindAgent = (deps: AgentDeps): AgentGate => ({
  model: () => ({ model: deps.models.notice === undefined ? 'configured' : 'scripted', phrases: deps.models.phrases }),
  run: (caller, body, more) => runAgent(deps, caller, body, more),
  withDevToken: (caller, answer) => withDevToken(deps, caller, answer),
  read: (caller, run_id) => readThread(deps, caller, run_id),
  readByThread: (caller, thread_id) => readOwnThread(deps, caller, thread_id),
  list: (caller, page) => listThreads(deps, caller, page),
  cancel: (caller, thread_id) => cancelTurn(deps, caller, thread_id),
  place: async (caller, thread_id) => {
    const thread = await ownThread(deps, caller, thread_id)
    return thread === undefined ? undefined : afterAllOf(thread.run.cursor)
  },
  follow: (caller, run_id, from, follower) => followThread(deps, caller, run_id, from, follower),
})
