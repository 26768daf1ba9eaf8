import type { Answerable } from '../approvals/asks.ts'
import type { ToolResult } from '../contract/call.ts'
import type { CallId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Problem } from '../contract/problems.ts'
import type { CancelSignal } from './cancel.ts'

/** A tool's reported progress, in its own units. */
export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** The listeners of the client that waits for a call. A held call outlives them. */
export type CallListeners = {
  /** Cancels the call, in the tool server too. What may have run by then is `unknown`. */
  readonly signal?: CancelSignal
  /** Called when the tool reports progress, rate-limited; never after the call has ended. */
  readonly onProgress?: (progress: Progress) => void
  /** A log line about this call; also rate-limited. */
  readonly onLog?: (line: JsonObject) => void
  /** The outcome reported by a client that ran the call itself. */
  readonly reported?: ToolResult
  /** Called once, when the call is recorded as running, before it is sent. */
  readonly onStarted?: (call_id: CallId) => void
}

export type UpstreamCall = Omit<CallListeners, 'onStarted'> & {
  readonly server: string
  readonly tool: string
  /** Exactly the bytes that were hashed are sent. */
  readonly canonical_args: string
  /** The answers to the tool's earlier questions: a part of the same arguments, sent separately. */
  readonly inputs?: { readonly canonical_responses: string; readonly state?: string }
  readonly answerable?: Answerable
  readonly idempotency_key: string
  /** For a call that was sent before, with an unknown outcome: when it was made. */
  readonly repeats_since?: number
  /** For a message: the transport that sends it; without one, the first that reaches its room. */
  readonly transport?: string
  /** The user of the call. A server with one login per user accepts no call without one. */
  readonly user?: string
  readonly trace: string
  /** The span of this call, if tracing is on. */
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

export type ToolReply = UpstreamReply<ToolResult>

export interface ToolServers {
  call(call: UpstreamCall): Promise<ToolReply>
  /** Changes when a reload replaces the server with this name. */
  generation(server: string): number
}

/** A question to a server about something other than its tools. */
export type UpstreamQuestion = CallListeners & {
  readonly server: string
  readonly method: string
  readonly params: JsonObject
  readonly trace: string
  readonly answerable?: Answerable
}

/** An unsolicited message of a server. */
export type ServerNotification = {
  readonly server: string
  readonly method: NotificationMethod
  readonly params: JsonObject
}

export const NOTIFICATION_METHODS = [
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/prompts/list_changed',
] as const

export type NotificationMethod = (typeof NOTIFICATION_METHODS)[number]

/** A resource that is watched until stopped, or why it is not. */
export type Watched =
  { readonly is: 'watching'; stop(): void } | Exclude<UpstreamReply<never>, { readonly is: 'answered' }>

/** What tool servers have besides tools: resources, prompts, completions. */
export interface Offerings {
  /** Each server's capabilities, the last known ones if it is down now; none for a server that never connected. */
  offers(): readonly { readonly server: string; readonly capabilities: JsonObject }[]
  /** Asked within the server's own limits of time, size and number. */
  ask(question: UpstreamQuestion): Promise<UpstreamReply<JsonObject>>
  /**
   * Makes a server report, by notifications, when a resource changes. The subscription is renewed after the server restarts; whether the resource
   * changed in the meantime is unknown.
   */
  watch(server: string, uri: string): Promise<Watched>
  /** Returns a function that stops listening. */
  onNotification(listener: (notification: ServerNotification) => void): () => void
}
