import type { Answerable } from '../../contract/asks.ts'
import type { ToolResult } from '../../contract/call.ts'
import type { CallId } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Problem } from '../../contract/problems.ts'

/** How far a tool says it has come, in its own units. */
export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** The listeners of the client that waits for a call. A held call outlives them. */
export type CallListeners = {
  /** Cancels the call, in the tool server too. What may have run by then is `unknown`. */
  readonly signal?: AbortSignal
  /** Called when the tool reports progress, rate-limited; never after the call has ended. */
  readonly onProgress?: (progress: Progress) => void
  /** A log line about this call; also rate-limited. */
  readonly onLog?: (line: JsonObject) => void
  /** What a client that ran the call itself says came of it. */
  readonly reported?: ToolResult
  /** Called once, when the call is recorded as running, before it is sent. */
  readonly onStarted?: (call_id: CallId) => void
}

export type UpstreamCall = Omit<CallListeners, 'onStarted'> & {
  readonly server: string
  readonly tool: string
  /** The bytes that were hashed are the bytes that are sent. */
  readonly canonical_args: string
  /** The answers to what the tool asked before: a part of the same arguments, sent apart. */
  readonly inputs?: { readonly canonical_responses: string; readonly state?: string }
  readonly answerable?: Answerable
  readonly idempotency_key: string
  /** Of a call that was sent before, with an outcome nobody knows: when it was made. */
  readonly repeats_since?: number
  /** Of a message: the transport that it goes out by; without one, the first that reaches its room. */
  readonly transport?: string
  /** The user of the call. A server with one login per user accepts no call without one. */
  readonly user?: string
  readonly trace: string
  /** The span this call is in, where somebody traces. */
  readonly span?: string
  /** The generation of the server that the call was judged for. It is not sent to any other. */
  readonly generation?: number
  /** Asked immediately before the call is sent. False: the tool changed after the call was judged, so it is not sent. */
  readonly isCurrent?: () => boolean
}

/** `not_sent`: known not to have run. `lost`: sent, and its outcome is unknown. */
export type UpstreamReply<T> =
  /** `unredacted`: the same before redaction, for the preview that an approver may reveal; it is stored nowhere else. */
  | { readonly is: 'answered'; readonly result: T; readonly unredacted?: T }
  | { readonly is: 'rejected'; readonly error: JsonObject }
  | { readonly is: 'not_sent'; readonly problem: Problem }
  | { readonly is: 'lost'; readonly problem: Problem }

export type UpstreamAnswer = UpstreamReply<ToolResult>

export interface ToolServers {
  call(call: UpstreamCall): Promise<UpstreamAnswer>
  /** Changes when a reload replaces the server of this name. */
  generation(server: string): number
}

/** A question to a server about something else than its tools. */
export type UpstreamQuestion = CallListeners & {
  readonly server: string
  readonly method: string
  readonly params: JsonObject
  readonly trace: string
  readonly answerable?: Answerable
}

/** What a server said unasked. */
export type Notice = { readonly server: string; readonly method: NoticeMethod; readonly params: JsonObject }

export const NOTICE_METHODS = [
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/prompts/list_changed',
] as const

export type NoticeMethod = (typeof NOTICE_METHODS)[number]

/** A resource that is watched until it is stopped, or why it is not. */
export type Watched =
  { readonly is: 'watching'; stop(): void } | Exclude<UpstreamReply<never>, { readonly is: 'answered' }>

/** What tool servers have besides tools: resources, prompts, completions. */
export interface Offerings {
  /** Each server as it introduced itself, last time if it is away now; nothing of one that never did. */
  offers(): readonly { readonly server: string; readonly capabilities: JsonObject }[]
  /** Asked within the server's own limits of time, size and number. */
  ask(question: UpstreamQuestion): Promise<UpstreamReply<JsonObject>>
  /** Has a server tell, by notices, when a resource is another one; also after its restart, when nobody knows whether it is. */
  watch(server: string, uri: string): Promise<Watched>
  /** Returns how to stop listening. */
  onNotice(listener: (notice: Notice) => void): () => void
}
