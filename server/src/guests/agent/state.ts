import type {
  AgentCall,
  AgentMessage,
  AgentNode,
  AgentSettings,
  AgentStatus,
  LastToolResult,
  ProposedTool,
  SecurityFinding,
  PlanStepStatus,
  ThreadId,
} from './agent.ts'
import type { ModelUsage } from '../models/api.ts'
import type { ApprovalId, RunId } from '../../kernel/contract/ids.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'

/** A reply to a pending approval, already processed at the door. Its token was never part of a state or a journal. */
export type ApprovalReply = {
  readonly approval_id: string
  readonly result: 'approved' | 'rejected' | 'invalid'
  /** For an invalid reply: why. For a rejection: the person's reason. */
  readonly says: string
}

/** A message waiting for its turn. */
export type WaitingMessage = {
  readonly turn_id: string
  /** To recognize the same request if it is sent again. */
  readonly asked_hash: string
  readonly text: string
  readonly at: number
  /** Determined by rules; null if a model decides, or it could not be determined. */
  readonly intent: 'conversation' | 'task' | null
  readonly reply: ApprovalReply | null
  /** Who sent it, and acts in its turn. Absent in rows of earlier releases. */
  readonly caller?: JsonObject
  /** The account of the slot it takes among the requests of its document, until it is answered. */
  readonly place?: string
}

/** The document whose agent a person talks to, and where. */
export type ThreadDocument = {
  readonly name: string
  readonly version: number
  readonly transport: string
  readonly room: string
  readonly sender: string
  /** The maximum time that a request for approval waits, in seconds. */
  readonly hold_s: number | null
}

/** How a turn ended; the newest are kept, so that a repeated request gets the same answer. */
export type EndedTurn = Pick<WaitingMessage, 'turn_id' | 'asked_hash'> & {
  readonly status: AgentStatus
  readonly response: string
}

/** `invalid`: an unknown tool, bad arguments, or a call that was rejected before. `lookup`: the content of an artifact. */
export type ExecutorWords = {
  readonly kind: 'invalid' | 'text' | 'question' | 'lookup'
  readonly text: string
  readonly tool?: string
}

/** Why the models cannot continue. */
export type AgentFailure = { readonly code: string; readonly says: string }

/** The text for the room, and the slot that the turn had among the requests in progress. */
export type OutgoingAnswer = { readonly text: string; readonly place: string | null }

/** One thread. Stored, so only JSON. */
export type AgentState = {
  readonly run_id: RunId
  readonly thread_id: ThreadId
  readonly user_id: string
  /** Who began it. Validated again when it is read. */
  readonly caller: JsonObject
  /** Who acts: the sender of the current turn, or of the last one. Absent before the first, and in rows of earlier releases. */
  readonly acting?: JsonObject
  readonly trace: string
  readonly settings: AgentSettings
  readonly do_not_store: boolean
  /** Only for a thread with a document's agent. */
  readonly document?: ThreadDocument
  /** The answers that this step sends, and how many were created and are being sent. */
  readonly outgoing?: readonly OutgoingAnswer[]
  readonly answers_made?: number
  readonly answers_open?: number

  readonly intent: 'conversation' | 'task' | null
  readonly messages: readonly AgentMessage[]
  /** Summary of everything before the first of `messages`. */
  readonly summary: string | null
  readonly plan: readonly string[] | null
  readonly current_step: number
  readonly step_status: readonly PlanStepStatus[]
  readonly tries: readonly number[]
  /** Artifact reads in the current step: they do not count as tries. */
  readonly lookups: number
  readonly proposed_tool: ProposedTool | null
  readonly last_tool_result: LastToolResult | null
  readonly awaiting_user_input: boolean
  readonly question: string | null
  readonly awaiting_approval: boolean
  readonly approval_id: ApprovalId | null
  readonly approval_hash: string | null
  readonly approval_expires_at: number | null
  /** The hub that decides about it. Absent in rows of earlier releases. */
  readonly approval_hub?: string | null
  /** Where it is decided, and whether a token can decide it. Absent in rows of earlier releases. */
  readonly approval_url?: string | null
  readonly approval_takes_token?: boolean
  readonly security_findings: readonly SecurityFinding[]
  readonly audit_trail: readonly string[]

  readonly node: AgentNode
  /** The state of the node's work: not started, in progress, or its result is in. */
  readonly work: 'none' | 'begun' | 'done'
  /** Counts pieces of work, so that each has its own key. */
  readonly works: number
  readonly turn: WaitingMessage | null
  readonly queue: readonly WaitingMessage[]
  readonly turns: readonly EndedTurn[]
  /** What the executor said if it made no call that can be judged. */
  readonly said: ExecutorWords | null
  /** The call made for `proposed_tool`, as far as it is known. */
  readonly call: AgentCall | null
  /** The gate's verdict on it. */
  readonly verdict: { readonly effect: 'allow' | 'ask' | 'block'; readonly why: string } | null
  /** The newest verdict, kept after its call has ended. */
  readonly last_verdict: {
    readonly effect: 'allow' | 'ask' | 'block'
    readonly why: string
    readonly call_id: string | null
  } | null
  /** Whether `last_tool_result` is the outcome of `call`. */
  readonly has_outcome: boolean
  /** The approval that was decided last: a reply may arrive after its decision took effect. */
  readonly last_approval_id: string | null
  /** A person cancelled the waiting call. */
  readonly withdrawing: boolean
  /** The whole thread was cancelled: it ends as soon as nothing is in progress. */
  readonly closing: boolean
  readonly just_rejected: boolean
  readonly integrity_failed: boolean
  /** Shown to the person together with the waiting call: why a reply did not count. */
  readonly notice: string | null
  /** Tool and hash of calls that a person rejected: they are not proposed again. */
  readonly rejected: readonly string[]
  readonly failure: AgentFailure | null
  /** Who cancelled the turn, while work in progress ends. */
  readonly cancelled_by: string | null
  /** The last answer, and how its turn ended. */
  readonly response: string
  readonly status: AgentStatus
  /** How many turns have ended and how many edges were taken: both lists keep only the newest. */
  readonly turns_ended: number
  readonly moves: number
  readonly usage: ModelUsage
}

export type AgentStart = Pick<
  AgentState,
  'run_id' | 'thread_id' | 'user_id' | 'caller' | 'trace' | 'settings' | 'do_not_store' | 'document'
>

export function startThread(start: AgentStart): AgentState {
  return {
    ...start,
    ...(start.document === undefined ? {} : { outgoing: [], answers_made: 0, answers_open: 0 }),
    intent: null,
    messages: [],
    summary: null,
    plan: null,
    current_step: 0,
    step_status: [],
    tries: [],
    lookups: 0,
    proposed_tool: null,
    last_tool_result: null,
    awaiting_user_input: false,
    question: null,
    awaiting_approval: false,
    approval_id: null,
    approval_hash: null,
    approval_expires_at: null,
    security_findings: [],
    audit_trail: [],
    node: 'END',
    work: 'none',
    works: 0,
    turn: null,
    queue: [],
    turns: [],
    said: null,
    call: null,
    verdict: null,
    last_verdict: null,
    has_outcome: false,
    last_approval_id: null,
    withdrawing: false,
    closing: false,
    just_rejected: false,
    integrity_failed: false,
    notice: null,
    rejected: [],
    failure: null,
    cancelled_by: null,
    response: '',
    status: 'completed',
    turns_ended: 0,
    moves: 0,
    usage: { model_calls: 0, input_tokens: 0, output_tokens: 0, cost: 0 },
  }
}

/** Whose credential the thread's calls are made with. */
export const actingCaller = ({ acting, caller }: Pick<AgentState, 'acting' | 'caller'>): JsonObject => acting ?? caller

/** Who sent the newest message that was accepted. */
export const newestSender = (state: Pick<AgentState, 'queue' | 'acting' | 'caller'>): JsonObject =>
  state.queue.findLast(({ caller }) => caller !== undefined)?.caller ?? actingCaller(state)

/** A message becomes the current turn, and its sender acts in it. */
export const withSender = (state: AgentState, turn: WaitingMessage): AgentState => ({
  ...state,
  turn,
  ...(turn.caller === undefined ? {} : { acting: turn.caller }),
})

export const statusOfStep = ({ step_status, current_step }: AgentState): PlanStepStatus | undefined =>
  step_status[current_step]
export const triesOfStep = ({ tries, current_step }: AgentState): number => tries[current_step] ?? 0

/** The same list with one element replaced. */
export const replaced = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((one, index) => (index === at ? value : one))

const MOST_TRAIL = 100
const MOST_FINDINGS = 50
const MOST_MESSAGES = 400
const MOST_TURNS = 50

export const withTrail = (state: AgentState, line: string): AgentState => ({
  ...state,
  moves: state.moves + 1,
  audit_trail: [...state.audit_trail, line].slice(-MOST_TRAIL),
})

export const withTurn = (state: AgentState, turn: EndedTurn): AgentState => ({
  ...state,
  turns_ended: state.turns_ended + 1,
  turns: [...state.turns, turn].slice(-MOST_TURNS),
})

export const withFinding = (state: AgentState, finding: SecurityFinding): AgentState => ({
  ...state,
  security_findings: [...state.security_findings, finding].slice(-MOST_FINDINGS),
})

/** If there are too many messages, the oldest are dropped; models get a summary of them. */
export const withMessage = (state: AgentState, message: AgentState['messages'][number]): AgentState => ({
  ...state,
  messages: [...state.messages, message].slice(-MOST_MESSAGES),
})
