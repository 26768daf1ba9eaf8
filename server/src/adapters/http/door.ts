import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Gate } from '../../main/gate.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { ShownProof } from '../../kernel/identity/prove-person.ts'
import type { Authenticate } from './caller-of.ts'

export type Answer = { readonly status: number; readonly type: string; readonly body: string }
/** In progress or answered; `released` if nothing was done under the claimed key. */
export type Kept = { readonly request: string; readonly answer: Promise<Answer | 'released' | 'not_kept'> } | 'released'

/** Answers by caller and key; the oldest are dropped first. Kept in memory only, because some contain a secret that is shown once. */
export type Answers = Map<string, Kept>

export type LoginOptions = {
  /** The configured public address of the console. */
  readonly publicUrl?: string
}

/** The context of a handler: the commands, the caller and the trace. */
export type Variables = {
  gate: Gate
  authenticate: Authenticate
  answers: Answers
  caller: Caller
  trace: string
  login: LoginOptions
  /** Only at routes that are declared to give permission. */
  proof: ShownProof
}
/** `local` is true on the data folder's socket, which only the folder's owner can open; otherwise `remote` is an address. */
export type Bindings = { local: boolean; remote: string; connection?: object }
export type Door = { Variables: Variables; Bindings: Bindings }
export type App = OpenAPIHono<Door>
