import type { Caller } from '../contract/caller.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { Result } from '../contract/problems.ts'
import type { PasskeyDeps } from '../identity/passkeys.ts'
import type { ShownProof } from '../identity/prove-person.ts'
import { listPauses, setPause, type PauseDeps, type PauseOrder } from './pause.ts'
import { policiesOf, type Policies, type PoliciesDeps } from './policies.ts'

export type PolicyDeps = PoliciesDeps & PauseDeps & PasskeyDeps

export interface PausesGate {
  set(caller: Caller, order: PauseOrder, proof?: ShownProof): Promise<Result<PauseRow>>
  list(): Promise<readonly PauseRow[]>
}

export const bindPolicy = (deps: PolicyDeps): { readonly policies: Policies; readonly pauses: PausesGate } => ({
  policies: policiesOf(deps),
  pauses: {
    set: (caller, order, proof = {}) => setPause(deps, caller, order, proof),
    list: () => listPauses(deps),
  },
})
