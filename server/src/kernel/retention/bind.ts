import type { Caller } from '../contract/caller.ts'
import type { Result } from '../contract/problems.ts'
import { eraseLogins, type EraseLoginsDeps } from './erase-logins.ts'
import { eraseUser, type EraseDeps, type Erased } from './erase-user.ts'

export interface RetentionGate {
  /** Deletes one person's arguments, outputs, artifacts and logins at tool servers now. */
  eraseUser(caller: Caller, wanted: { user: string; withdraw: boolean }): Promise<Result<Erased>>
}

export const bindRetention = (deps: EraseDeps & EraseLoginsDeps): RetentionGate => ({
  async eraseUser(caller, wanted) {
    const erased = await eraseUser(deps, caller, wanted)
    if (erased.ok) await eraseLogins(deps, wanted.user)
    return erased
  },
})
