import type { NewCredential } from '../commands/identity/credentials.ts'
import { LOCAL_OWNER, type CredentialRow } from '../contract/caller.ts'
import { ok, type Result } from '../contract/problems.ts'
import type { UpOptions } from '../doors/cli/local-gate.ts'
import { existingData, settingsMeant } from './local-gate.ts'
import { storeOf } from './store-of.ts'
import { withCredentials } from './open-credentials.ts'

/** Creates a key for the folder's owner while no gate runs: a gate that others can reach does not start before there is one. */
export async function createKey(
  options: UpOptions,
  wanted: NewCredential,
  isNewFolder: boolean,
): Promise<Result<{ readonly key: string; readonly row: CredentialRow; readonly data: string }>> {
  const settings = settingsMeant(options)
  if (!settings.ok) return settings
  const existing = isNewFolder ? ok(settings.value.data) : existingData(options)
  if (!existing.ok) return existing
  const data = existing.value
  const made = await withCredentials({ ...storeOf(settings.value), folder: data }, (ring) =>
    ring.createCredential(LOCAL_OWNER, wanted),
  )
  return made.ok ? ok({ ...made.value, data }) : made
}
