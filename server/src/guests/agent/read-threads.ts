import type { AgentMessage, AgentStatus, LastToolResult, ProposedTool, PlanStepStatus } from './agent.ts'
import type { ModelUsage } from '../models/api.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { agent, type AgentRunEvent } from './step.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { addRunEvent } from '../../kernel/runs/run-changes.ts'
import { afterAllOf } from './follow-thread.ts'
import { mayReadThread, ownThread, statusOf, stateOf, visibleThread, type Thread, type ThreadPorts } from './threads.ts'
import { refuse } from './problems.ts'

export type ThreadSummary = {
  readonly thread_id: string
  readonly run_id: RunId
  readonly status: AgentStatus
  readonly created_at: number
  /** The first message, shortened. */
  readonly title: string
  readonly turns: number
  readonly usage: ModelUsage
  readonly do_not_store: boolean
}

/** A complete thread: the messages, the plan and its progress, what it waits for. For export and display. */
export type ThreadView = ThreadSummary & {
  /** The id of its newest event: later events are new. */
  readonly last_event_id: string
  readonly node: string
  readonly intent: string | null
  readonly messages: readonly AgentMessage[]
  readonly summary: string | null
  readonly plan: readonly { readonly step: string; readonly status: PlanStepStatus; readonly tries: number }[]
  readonly current_step: number
  /** Its arguments are in the call's packet, for people who may see that. */
  readonly proposed_tool: Omit<ProposedTool, 'args' | 'canonical_args'> | null
  readonly last_tool_result: LastToolResult | null
  readonly call_id: string | null
  readonly awaiting_approval: boolean
  readonly approval_id: string | null
  readonly approval_hash: string | null
  readonly approval_expires_at: number | null
  readonly awaiting_user_input: boolean
  readonly question: string | null
  readonly security_findings: readonly {
    readonly rule_id: string
    readonly severity: string
    readonly message: string
  }[]
  readonly audit_trail: readonly string[]
}
export type ThreadsPage = { readonly items: readonly ThreadSummary[]; readonly next?: number }

const LONGEST_TITLE = 100

export async function readThread(deps: ThreadPorts, caller: Caller, run_id: string): Promise<Result<ThreadView>> {
  const thread = await visibleThread(deps, caller, run_id)
  return thread === undefined ? refuse('agent.thread_unknown', { thread_id: run_id }) : ok(viewOf(thread))
}

export async function readOwnThread(deps: ThreadPorts, caller: Caller, thread_id: string): Promise<Result<ThreadView>> {
  const thread = await ownThread(deps, caller, thread_id)
  return thread === undefined ? refuse('agent.thread_unknown', { thread_id }) : ok(viewOf(thread))
}

/** The caller's own threads, newest first. */
export async function listThreads(deps: ThreadPorts, caller: Caller, page: Page): Promise<ThreadsPage> {
  const where = { kind: agent.kind, owner: callerIdentity(caller) }
  const held = await deps.tables.list('runs', where, { ...page, newest_first: true })
  const last = held.length === page.limit ? held.at(-1) : undefined
  const threads = held.flatMap(({ row }) => (row.expired_at === undefined ? [{ run: row, state: stateOf(row) }] : []))
  const items = threads.filter((thread) => mayReadThread(caller, thread)).map(summaryOf)
  return { items, ...(last === undefined ? {} : { next: last.cursor }) }
}

export type CancelThreadPorts = ThreadPorts & {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
}

/** Stops what the thread is doing; it continues with the next message. */
export async function cancelTurn(
  deps: CancelThreadPorts,
  caller: Caller,
  thread_id: string,
): Promise<Result<ThreadView>> {
  const thread = await ownThread(deps, caller, thread_id)
  if (thread === undefined) return refuse('agent.thread_unknown', { thread_id })
  const { run_id } = thread.run
  const event: AgentRunEvent = { type: 'agent.cancel', by: caller.id }
  const entry = {
    at: deps.clock(),
    type: 'agent.cancel_requested' as const,
    actor: caller.id,
    trace: deps.ids.trace(),
    subject: { run: run_id, thread: thread_id },
  }
  const recorded = await deps.ledger.commit([...addRunEvent(run_id, event), { kind: 'audit', entry }])
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  return readThread(deps, caller, run_id)
}

function summaryOf(thread: Thread): ThreadSummary {
  const { run, state } = thread
  const first = state.messages.find(({ role }) => role === 'user')?.text ?? ''
  return {
    thread_id: state.thread_id,
    run_id: run.run_id,
    status: statusOf(thread),
    created_at: run.created_at,
    title: first.slice(0, LONGEST_TITLE),
    turns: state.turns_ended,
    usage: state.usage,
    do_not_store: state.do_not_store,
  }
}

function viewOf(thread: Thread): ThreadView {
  const { state } = thread
  return {
    ...summaryOf(thread),
    last_event_id: afterAllOf(thread.run.cursor),
    node: state.node,
    intent: state.intent,
    messages: state.messages,
    summary: state.summary,
    plan: (state.plan ?? []).map((step, index) => ({
      step,
      status: state.step_status[index] ?? 'pending',
      tries: state.tries[index] ?? 0,
    })),
    current_step: state.current_step,
    proposed_tool: proposedOf(state),
    last_tool_result: state.last_tool_result,
    call_id: state.call?.call_id ?? null,
    awaiting_approval: state.awaiting_approval,
    approval_id: state.approval_id,
    approval_hash: state.approval_hash,
    approval_expires_at: state.approval_expires_at,
    awaiting_user_input: state.awaiting_user_input,
    question: state.question,
    security_findings: state.security_findings,
    audit_trail: state.audit_trail,
  }
}

function proposedOf({ proposed_tool }: Thread['state']): ThreadView['proposed_tool'] {
  if (proposed_tool === null) return null
  const { args: _, canonical_args: __, ...rest } = proposed_tool
  return rest
}
