import { ok, type Result } from '../kernel/contract/problems.ts'
import type { ResetReport } from '../adapters/cli/key-commands.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { resetKeys } from '../adapters/keys/reset-keys.ts'
import { lockStore } from '../adapters/stores/open-store.ts'
import { placesIn } from './data-folder.ts'
import { openDataFolder } from './open-data-folder.ts'
import { existingData, settingsMeant } from './local-gate.ts'
import { issueAdminKey, withCredentials } from './open-credentials.ts'
import { storeOf } from './store-of.ts'

/**
 * New signing keys for a data folder that lost its own, and a new admin key for its owner. Only the owner can do this, and only
 * while no gate runs on it.
 */
export async function reset(options: UpOptions): Promise<Result<ResetReport>> {
  const settings = settingsMeant(options)
  if (!settings.ok) return settings
  const existing = existingData(options)
  if (!existing.ok) return existing
  const data = existing.value
  const store = { ...storeOf(settings.value), folder: data }
  const folder = await openDataFolder(store)
  if (!folder.ok) return folder
  const lock = await lockStore(store)
  if (!lock.ok) return lock
  const done = resetKeys(placesIn(data).keys, `lost-${Date.now()}`)
  lock.value.release()
  if (!done.ok) return done
  if (folder.value.fresh) return ok({ set_aside: done.value })
  const issued = await withCredentials(store, (ring) => issueAdminKey(ring, data))
  return issued.ok ? ok({ set_aside: done.value, admin_key: issued.value }) : issued
}
