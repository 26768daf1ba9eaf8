import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Replaces or creates a file atomically: at every moment either the old or the new one exists, complete. Links are followed,
 * modes kept.
 */
export function writeWhole(file: string, bytes: Buffer, mode?: number): void {
  const real = existsSync(file) ? realpathSync(file) : file
  mkdirSync(dirname(real), { recursive: true })
  const kept = mode ?? (existsSync(real) ? statSync(real).mode & 0o777 : 0o600)
  const part = join(dirname(real), `.${process.pid}.${Date.now()}.part`)
  const handle = openSync(part, 'wx', 0o600)
  try {
    writeSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    chmodSync(part, kept)
    renameSync(part, real)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
