import type { OpenAPIHono } from '@hono/zod-openapi'
import type { NotedRefusal } from '../../kernel/audit/note-refusal.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { ShownProof } from '../../kernel/identity/prove-person.ts'
import type { AnswerText, Reader } from '../../kernel/sessions/enter-session.ts'
import type { AuthenticateRequest } from './caller-of.ts'
import type { EventStream } from './event-stream.ts'

export type KeptAnswer = { readonly status: number; readonly type: string; readonly body: string }
/** In progress or answered; `released` if nothing was done under the claimed key. */
export type Kept =
  { readonly request: string; readonly answer: Promise<KeptAnswer | 'released' | 'not_kept'> } | 'released'

/** Answers by caller and key; the oldest are dropped first. Kept in memory only, because some contain a secret that is shown once. */
export type KeptAnswers = Map<string, Kept>

export type LoginOptions = {
  /** The configured public address of the console. */
  readonly publicUrl?: string
}

/** Streams end when the gate stops. */
export type StreamOptions = Pick<EventStream, 'stopping' | 'heartbeat_ms' | 'waiting_bytes'>

/** What all endpoints share. */
export type Door = {
  readonly authenticate: AuthenticateRequest
  readonly login: LoginOptions
  readonly streams: StreamOptions
  /** Takes an idempotency key for a request that is not a call. */
  claimKey(caller: Caller, key: string): Promise<Result<'first' | 'taken'>>
  /** Records that somebody was rejected. */
  noteRefusal(refusal: NotedRefusal): Promise<void>
  /** Adds what somebody reads to the session it is read in. */
  enter(reader: Reader, texts: readonly AnswerText[]): Promise<Result<void>>
}

/** The context of a handler. */
export type Variables = {
  door: Door
  caller: Caller
  trace: string
  /** Only at routes that are declared to give permission. */
  proof: ShownProof
}
/** `local` is true on the data folder's socket, which only the folder's owner can open; otherwise `remote` is an address. */
export type Bindings = { local: boolean; remote: string; connection?: object }
export type RouterEnv = { Variables: Variables; Bindings: Bindings }
export type App = OpenAPIHono<RouterEnv>
