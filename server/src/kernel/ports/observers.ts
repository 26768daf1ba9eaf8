import type { Caller } from '../contract/caller.ts'
import type { CallRequest, Outcome } from '../contract/call.ts'
import type { Result } from '../contract/problems.ts'
import type { Ledger } from './ledger.ts'
import type { CallListeners, ToolServers } from './upstream.ts'

export type Dispatch = (request: CallRequest, listeners?: CallListeners) => Promise<Outcome>
export type AuthenticateKey = (key: string) => Promise<Result<Caller>>

/** What is put around parts of a gate to observe them. It changes nothing, and what is inside does not know that it is observed. */
export type Observers = {
  readonly ledger: (ledger: Ledger) => Ledger
  readonly servers: (servers: ToolServers) => ToolServers
  readonly dispatch: (dispatch: Dispatch) => Dispatch
  readonly authenticate: (authenticate: AuthenticateKey) => AuthenticateKey
}
