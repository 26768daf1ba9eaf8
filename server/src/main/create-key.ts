import { existsSync } from 'node:fs'
import type { KeyBody } from '../kernel/contract/api.ts'
import { LOCAL_OWNER, type CredentialRow } from '../kernel/contract/caller.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { hasContents } from './data-folder.ts'
import { existingData, settingsMeant } from './local-gate.ts'
import { storeOf } from './store-of.ts'
import { trust } from './trust/check-trust.ts'
import { createCredential } from '../kernel/identity/credentials.ts'
import { withCredentials } from './open-credentials.ts'

/** Creates a key for the folder's owner while no gate runs: a gate that others can reach does not start before there is one. */
export async function createKey(
  options: UpOptions,
  { passphrase, passkey: _, ...wanted }: KeyBody,
  isNewFolder: boolean,
): Promise<Result<{ readonly key: string; readonly row: CredentialRow; readonly data: string }>> {
  const settings = settingsMeant(options)
  if (!settings.ok) return settings
  const existing = isNewFolder ? ok(settings.value.data) : existingData(options)
  if (!existing.ok) return existing
  const data = existing.value
  const isBegun = hasContents(data)
  const made = await withCredentials({ ...storeOf(settings.value), folder: data }, (ring) =>
    createCredential(ring, LOCAL_OWNER, wanted, { passphrase }),
  )
  if (!made.ok) return made
  // Without a configuration there is nothing to ask about but a data folder that was not there before.
  if (!isBegun && !existsSync(settings.value.file)) trust(settings.value)
  return ok({ ...made.value, data })
}
