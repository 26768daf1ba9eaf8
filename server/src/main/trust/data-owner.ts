import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { placesIn } from '../data-folder.ts'
import { inRealFolder } from '../../adapters/files/whole-file.ts'

/**
 * A data folder belongs to the configuration that a gate first used it with: with another one, with other rules, the same keys,
 * consents and approvals would allow more.
 */
export function checkOwnedBy(data: string, file: string): Result<void> {
  const owner = ownerOf(data)
  const config = inRealFolder(file)
  if (owner === undefined || owner === config || isRenamed(owner, config, data)) return ok(undefined)
  return refuse('data.other_config', { data, belongs_to: owner, file: config })
}

/** Relative, so that it stays right when a folder with both is moved. */
export function markOwnedBy(data: string, file: string): void {
  const path = relative(realpathSync.native(data), inRealFolder(file))
  writeFileSync(placesIn(data).configuration, `${path}\n`, { mode: 0o600 })
}

function ownerOf(data: string): string | undefined {
  const { configuration } = placesIn(data)
  if (!existsSync(configuration)) return undefined
  return resolve(realpathSync.native(data), readFileSync(configuration, 'utf8').trim())
}

/** Its configuration has another name now, in the same folder or in one around the data folder. */
function isRenamed(owner: string, config: string, data: string): boolean {
  if (existsSync(owner)) return false
  const inside = relative(dirname(config), realpathSync.native(data))
  return dirname(owner) === dirname(config) || (!inside.startsWith('..') && !isAbsolute(inside))
}
