import type { Caller } from '../contract/caller.ts'
import type { Result } from '../contract/problems.ts'
import { eraseLogins, type EraseLoginsDeps } from './erase-logins.ts'
import { eraseUser, type EraseDeps, type Erased } from './erase-user.ts'

export type ErasePersonDeps = EraseDeps & EraseLoginsDeps

/** Deletes one person's arguments, outputs, artifacts and logins at tool servers now. */
export async function erasePerson(
  deps: ErasePersonDeps,
  caller: Caller,
  wanted: { readonly user: string; readonly withdraw: boolean },
): Promise<Result<Erased>> {
  const erased = await eraseUser(deps, caller, wanted)
  if (erased.ok) await eraseLogins(deps, wanted.user)
  return erased
}
