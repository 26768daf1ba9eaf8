import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { Liveness } from '../../../kernel/ports/liveness.ts'
import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import { primaryCode, SQLITE } from './sqlite-error.ts'

export type JoinedBoot = Liveness & {
  /** Dead immediately, for everybody. */
  leave(): void
}

const NAME = /^[0-9a-f]{16}$/
const POLL_MS = 1_000
/** A younger file may belong to a boot that is about to lock it. */
const OLD_MS = 3_600_000
const MOST_DEAD = 10_000

/** Also held here: a lock whose holder was dropped must not end with the next garbage collection. */
const held = new Set<DatabaseSync>()

/**
 * Boots that share a data folder. Each holds an operating system lock on its own file, which ends with its process however that
 * ends: no heartbeat, no clock, and a busy process is not mistaken for a dead one.
 */
export function joinBoots(folder: string): Result<JoinedBoot> {
  const boot = randomBytes(8).toString('hex')
  const fileOf = (name: string) => join(folder, `${name}.lock`)
  let own: DatabaseSync
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    own = lock(fileOf(boot))
  } catch (error) {
    return refuse('data.unusable', { folder, why: error instanceof Error ? error.message : String(error) })
  }
  held.add(own)
  const dead = new Set<string>()
  const seen = new Set<string>()
  const listeners = new Set<(boot: string) => void>()
  let poll: NodeJS.Timeout | undefined
  sweep(folder)

  function bury(name: string): void {
    if (dead.size >= MOST_DEAD) dead.clear()
    dead.add(name)
    rmSync(fileOf(name), { force: true })
    if (!seen.delete(name)) return
    for (const listener of listeners) listener(name)
  }

  function look(name: string): boolean {
    if (dead.has(name) || !NAME.test(name)) return false
    if (isLocked(fileOf(name))) return true
    bury(name)
    return false
  }

  /** Only while somebody else is known to be alive, which an embedded gate never sees. */
  function watch(): void {
    if (poll !== undefined || seen.size === 0) return
    poll = setInterval(() => {
      for (const name of seen) look(name)
      if (seen.size > 0) return
      clearInterval(poll)
      poll = undefined
    }, POLL_MS).unref()
  }

  return ok({
    boot,
    async isAlive(name) {
      if (name === boot) return held.has(own)
      const isAlive = look(name)
      if (isAlive) seen.add(name)
      watch()
      return isAlive
    },
    onDeath(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    // The lock is the lease: it is held until the process ends.
    mayAct: () => held.has(own),
    leave() {
      clearInterval(poll)
      if (!held.delete(own)) return
      own.close()
      rmSync(fileOf(boot), { force: true })
    },
  })
}

/** Throws if somebody else has it. */
function lock(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    // Nothing is ever written, and there should be no journal beside it.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

/** If it cannot be checked it counts as alive: taking over from a live process would do things twice. */
function isLocked(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return false
  try {
    lock(file).close()
    return false
  } catch (error) {
    const code = primaryCode(error)
    return code === SQLITE.BUSY || statSync(file, { throwIfNoEntry: false }) !== undefined
  }
}

/** Removes files of dead boots that nobody has asked about. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (NAME.test(name.replace(/\.lock$/, '')) && age > OLD_MS && !isLocked(file)) rmSync(file, { force: true })
  }
}
