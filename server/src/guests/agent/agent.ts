import { z } from 'zod'
import type { CallState } from '../../kernel/contract/call.ts'
import type { ApprovalId, CallId, RunId } from '../../kernel/contract/ids.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'

export const AGENT_NODES = [
  'Router',
  'Planner',
  'Supervisor',
  'Executor',
  'RiskGate',
  'AwaitApproval',
  'ApprovalHandler',
  'Tools',
  'Interpreter',
  'Finalizer',
  'END',
] as const
export type AgentNode = (typeof AGENT_NODES)[number]

export const MOST_STEPS = 8
export const MOST_TRIES = 3

/** `thread_` and a random UUID. */
export const ThreadId = z
  .string()
  .regex(/^thread_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'not the id of a thread')
export type ThreadId = string

export const AgentBody = z.strictObject({
  message: z.string().min(1, 'the message is empty'),
  /** Continues one of your threads; a new one if omitted. */
  thread_id: ThreadId.optional(),
  /** The same key and message are the same turn. Also as the header `Idempotency-Key`. */
  idempotency_key: z.string().optional(),
  /** For a new thread: its texts are kept in memory only, and it ends when the gate restarts. */
  do_not_store: z.boolean().optional(),
})
export type AgentBody = z.infer<typeof AgentBody>

export const AGENT_STATUSES = [
  'running',
  'completed',
  'awaiting_approval',
  'awaiting_input',
  'failed',
  'cancelled',
] as const
export const AgentStatus = z.enum(AGENT_STATUSES)
export type AgentStatus = z.infer<typeof AgentStatus>

/** The answer to one message. `response` is empty while the turn is running. */
export type AgentAnswer = {
  readonly response: string
  readonly thread_id: ThreadId
  readonly run_id: RunId
  readonly status: AgentStatus
}

export type PlanStepStatus = 'pending' | 'running' | 'done' | 'failed' | 'skipped'

/** The call that the executor's model requested, canonicalized and hashed by code. */
export type ProposedTool = {
  readonly name: string
  readonly args: Json
  readonly canonical_args: string
  readonly args_hash: string
  readonly tool_call_id: string
  readonly step_idx: number
  readonly created_at: number
}

export type LastToolResult = {
  readonly status: 'success' | 'failed'
  /** Text from a tool server, or why there is none. */
  readonly output: string
  readonly evicted: boolean
  readonly pointer: string | null
  readonly size_chars: number
  readonly rehydration_allowed: boolean
  readonly summary: string | null
}

export type SecurityFinding = {
  readonly rule_id: string
  readonly severity: 'low' | 'medium' | 'high' | 'critical'
  readonly message: string
}

export type AgentMessage = {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly at: number
  /** For a tool's message: which tool. */
  readonly tool?: string
}

/** The call that the thread waits for. */
export type AgentCall = {
  readonly call_id: CallId | null
  readonly status: CallState
  readonly approval_id: ApprovalId | null
}

export const AGENT_EVENTS = [
  'state',
  'plan',
  'tool_proposed',
  'risk_gate',
  'approval_required',
  'tool_result',
  'message_delta',
  'final',
  'error',
] as const
export type AgentEventName = (typeof AGENT_EVENTS)[number]
export type AgentEvent = { readonly event: AgentEventName; readonly data: JsonObject }

/** Limits of a thread. */
export const AgentSettings = z.strictObject({
  message_chars: z.int().min(100).max(100_000).default(10_000).describe('Maximum length of a message to it.'),
  /** Tools that the executor is offered, found by search. */
  tools: z.int().min(1).max(20).default(8).describe('How many tools the model is offered at a time.'),
  /** Characters of conversation that a model is shown; older turns are summarized. */
  context_chars: z.int().min(4_000).max(2_000_000).default(60_000).describe('How much text the model reads at a time.'),
  model_calls: z.int().min(1).max(100_000).default(1_000).describe('How many model calls one thread may make.'),
  tokens: z.int().min(1_000).default(2_000_000).describe('How many tokens one thread may use.'),
  cost: z.number().positive().default(10).describe('What one thread may cost, in the unit of the prices.'),
  idle_days: z.int().min(1).max(3_650).default(30).describe('A thread ends after this many days without a message.'),
  /** `rules`: greetings and thanks are conversation, everything else is a task. `model`: the planner's model decides. */
  intent: z
    .enum(['rules', 'model'])
    .default('rules')
    .describe("How tasks and conversation are distinguished: by `rules`, or by the planner's `model`."),
})
export type AgentSettings = z.infer<typeof AgentSettings>
