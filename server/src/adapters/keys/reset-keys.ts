import { existsSync, renameSync } from 'node:fs'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { openKeys } from './key-folder.ts'
import { openMinimumVersions } from './minimum-versions.ts'
import { openRowKey } from './row-key.ts'

const KEY_FILES = 4

/**
 * Creates the keys that a data folder lost. A valid one is kept; an unusable file is set aside under `suffix`, never overwritten.
 * Tokens of a lost key become invalid, and its checkpoints can no longer be distinguished from forged ones. With a new key for
 * rows, every row gets a new MAC at the next start, even one that somebody else wrote.
 */
export function resetKeys(folder: string, suffix: string): Result<readonly string[]> {
  const setAside: string[] = []
  for (let tries = 0; ; tries += 1) {
    const opened = openAll(folder)
    if (opened.ok) return ok(setAside)
    const { file } = opened.problem.about
    if (tries === KEY_FILES || file === undefined || !existsSync(file)) return opened
    renameSync(file, `${file}.${suffix}`)
    setAside.push(`${file}.${suffix}`)
  }
}

/** Creates each one that is missing. */
function openAll(folder: string): Result<unknown> {
  const keys = openKeys({ folder, fresh: true, env: {} })
  if (!keys.ok) return keys
  const rows = openRowKey(folder, false)
  return rows.ok ? openMinimumVersions(folder) : rows
}
