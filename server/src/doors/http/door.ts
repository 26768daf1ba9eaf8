import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Gate } from '../../commands/gate.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Doorman } from '../entrance/caller-of.ts'

export type Answer = { readonly status: number; readonly type: string; readonly body: string }
/** Under way or answered; `released` when nothing was done under the key that this process has claimed. */
export type Kept = { readonly request: string; readonly answer: Promise<Answer | 'released' | 'not_kept'> } | 'released'

/** Answers by caller and key, the oldest forgotten first. In memory only: some of them hold a secret that is shown once. */
export type Answers = Map<string, Kept>

/** What a handler finds in its context: the commands, who speaks, and under which trace. */
export type Variables = { gate: Gate; doorman: Doorman; answers: Answers; caller: Caller; trace: string }
/** `local` is true on the data folder's own socket, where whoever connects owns the folder; elsewhere `remote` is an address. */
export type Bindings = { local: boolean; remote: string }
export type Door = { Variables: Variables; Bindings: Bindings }
export type App = OpenAPIHono<Door>
