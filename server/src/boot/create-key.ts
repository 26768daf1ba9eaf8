import type { NewCredential } from '../commands/identity/credentials.ts'
import { LOCAL_OWNER, type CredentialRow } from '../contract/caller.ts'
import type { Result } from '../contract/problems.ts'
import type { UpOptions } from '../doors/cli/cli-boot.ts'
import { settingsOf } from './local-gate.ts'
import { withCredentials } from './open-credentials.ts'

/** A key made by the folder's owner while no gate runs: a gate that others can reach does not start before there is one. */
export async function createKey(
  options: UpOptions,
  wanted: NewCredential,
): Promise<Result<{ readonly key: string; readonly row: CredentialRow }>> {
  const settings = settingsOf(options)
  if (!settings.ok) return settings
  return withCredentials(settings.value.data, (ring) => ring.createCredential(LOCAL_OWNER, wanted))
}
