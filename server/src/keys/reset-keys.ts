import { existsSync, renameSync } from 'node:fs'
import { ok, type Result } from '../contract/problems.ts'
import { openKeys } from './key-folder.ts'

const KEY_FILES = 2

/**
 * Makes the keys that a data folder lost. A good one stays; a file that cannot be used is set aside under `suffix`, never
 * overwritten. Tokens of a lost key become useless, and its checkpoints can no longer be told from forged ones.
 */
export function resetKeys(folder: string, suffix: string): Result<readonly string[]> {
  const setAside: string[] = []
  for (let tries = 0; ; tries += 1) {
    const opened = openKeys({ folder, fresh: true, env: {} })
    if (opened.ok) return ok(setAside)
    const { file } = opened.problem.about
    if (tries === KEY_FILES || file === undefined || !existsSync(file)) return opened
    renameSync(file, `${file}.${suffix}`)
    setAside.push(`${file}.${suffix}`)
  }
}
