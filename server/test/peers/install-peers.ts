import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const folder = import.meta.dirname
const lock = join(folder, '.installing')
const GIVE_UP_MS = 180_000

/**
 * Installs third-party clients and suites on first use, from the lockfile. Returns false if that is not possible; then their tests
 * are skipped with a message. Test files run in separate processes, so one installs and the others wait.
 */
export async function installPeers(): Promise<boolean> {
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  const done = join(folder, 'node_modules', `.installed-${digest.slice(0, 16)}`)
  for (let waited = 0; waited < GIVE_UP_MS; waited += 200) {
    if (existsSync(done)) return true
    if (isFirst()) return install(done)
    await sleep(200)
  }
  return false
}

function isFirst(): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    // Left behind by a run that was killed.
    if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > GIVE_UP_MS) rmdirSync(lock)
    return false
  }
}

function install(done: string): boolean {
  try {
    const words = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    const ran = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', timeout: GIVE_UP_MS })
    if (ran.status !== 0) {
      console.warn(`the peers in server/test/peers cannot be installed, their tests are skipped: ${ran.stderr}`)
      return false
    }
    writeFileSync(done, '')
    return true
  } finally {
    rmdirSync(lock)
  }
}

/** The file of an installed peer. */
export const peerFile = (...path: readonly string[]): string => join(folder, 'node_modules', ...path)
