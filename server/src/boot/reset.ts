import { resetKeys } from '../keys/reset-keys.ts'
import { lockFolder } from '../stores/sqlite/lock-folder.ts'
import type { UpOptions } from '../doors/cli/program.ts'
import { ok, type Result } from '../contract/problems.ts'
import { openDataFolder, placesIn } from './data-folder.ts'
import { settingsOf } from './local-gate.ts'

/** New signing keys for a data folder whose own were lost. Only its owner can, and only while no gate runs on it. */
export function reset(options: UpOptions): Result<readonly string[]> {
  const settings = settingsOf(options)
  if (!settings.ok) return settings
  openDataFolder(settings.value.data)
  const lock = lockFolder(settings.value.data)
  if (!lock.ok) return lock
  const done = resetKeys(placesIn(settings.value.data).keys, `lost-${Date.now()}`)
  lock.value.release()
  return done.ok ? ok(done.value) : done
}
