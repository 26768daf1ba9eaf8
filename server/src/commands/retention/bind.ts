import type { Caller } from '../../contract/caller.ts'
import type { Result } from '../../contract/problems.ts'
import { eraseUser, type EraseDeps, type Erased } from './erase-user.ts'

export interface RetentionGate {
  /** Removes one person's arguments, outputs and artifacts now. */
  eraseUser(caller: Caller, wanted: { user: string; withdraw: boolean }): Promise<Result<Erased>>
}

export const bindRetention = (world: EraseDeps): RetentionGate => ({
  eraseUser: (caller, wanted) => eraseUser(world, caller, wanted),
})
