import { existsSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { HostEnvironment } from '../../adapters/files/client-hooks.ts'
import { inRealFolder } from '../../adapters/files/whole-file.ts'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import { openPrivateFolder, writePrivateFile } from '../../adapters/keys/key-files.ts'
import { HOOK } from '../../adapters/files/own-programs.ts'
import { refuse } from './problems.ts'

type Host = Pick<HostEnvironment, 'home' | 'platform' | 'env'>

/**
 * The program that clients start for each event: a copy outside every project, because an agent works in the folder where the gate
 * may be installed. Each gate has its own, so that gates of two releases do not replace each other's.
 */
export function installedHook(data: string, { home, platform, env }: Host = hostHere()): string {
  const named = platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_DATA_HOME']
  const usual = platform === 'win32' ? join(home, 'AppData/Local') : join(home, '.local/share')
  const base = named !== undefined && isAbsolute(named) ? named : usual
  return join(base, 'sluice', 'hooks', sha256Hex(inRealFolder(data)).slice(0, 16), basename(HOOK))
}

const hostHere = (): Host => ({ home: homedir(), platform: process.platform, env: process.env })

/** Writes the copy, or replaces one that differs in any byte. */
export function installHook(file: string): Result<void> {
  if (isThisRelease(file)) return ok(undefined)
  const opened = openPrivateFolder(dirname(file))
  const written = opened.ok ? writePrivateFile(file, readFileSync(HOOK, 'utf8')) : opened
  return written.ok ? ok(undefined) : refuse('init.hook_not_installed', written.problem.about)
}

/** For a gate that starts: after an upgrade, the hooks that were installed are those of this release. */
export const refreshHook = (file: string): Result<void> => (existsSync(file) ? installHook(file) : ok(undefined))

export const removeHook = (file: string): void => rmSync(dirname(file), { recursive: true, force: true })

export function isThisRelease(file: string): boolean {
  try {
    return sha256Hex(readFileSync(file, 'utf8')) === sha256Hex(readFileSync(HOOK, 'utf8'))
  } catch {
    return false
  }
}
