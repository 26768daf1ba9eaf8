import type { Caller } from '../../contract/caller.ts'
import type { PauseRow } from '../../contract/pause.ts'
import type { Result } from '../../contract/problems.ts'
import { listPauses, setPause, type PauseDeps, type PauseOrder } from './pause.ts'
import { policiesOf, type Policies, type PoliciesDeps } from './policies.ts'

export type PolicyWorld = PoliciesDeps & PauseDeps

export interface PausesGate {
  set(caller: Caller, order: PauseOrder): Promise<Result<PauseRow>>
  list(): Promise<readonly PauseRow[]>
}

export const bindPolicy = (world: PolicyWorld): { readonly policies: Policies; readonly pauses: PausesGate } => ({
  policies: policiesOf(world),
  pauses: {
    set: (caller, order) => setPause(world, caller, order),
    list: () => listPauses(world),
  },
})
