import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/**
 * Replaces or creates a file atomically: at every moment either the old or the new one exists, complete. Links are followed,
 * modes kept.
 */
export function writeWhole(file: string, bytes: Buffer, mode?: number): void {
  const real = realFile(file)
  mkdirSync(dirname(real), { recursive: true })
  const kept = mode ?? (existsSync(real) ? statSync(real).mode & 0o777 : 0o600)
  const part = partOf(real)
  // What a killed process left.
  rmSync(part, { force: true })
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

/** Where a new version of a file is written before it takes its place. */
export const partOf = (real: string): string => join(dirname(real), `.${basename(real)}.sluice-part`)

/** The file that a path leads to. Where a link leads to nothing, it is the file that it would lead to. */
export function realFile(file: string, most = MOST_LINKS): string {
  if (existsSync(file)) return realpathSync(file)
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (!isLink || most === 0) return file
  return realFile(resolve(realpathSync(dirname(file)), readlinkSync(file)), most - 1)
}

/** As on Linux: more are a circle. */
const MOST_LINKS = 40

/** A path whose folder, if it exists, is named without links. The file itself need not exist yet. */
export function inRealFolder(file: string): string {
  const folder = dirname(resolve(file))
  return join(existsSync(folder) ? realpathSync.native(folder) : folder, basename(file))
}

/** The folders that do not exist yet and that a file needs, the innermost first. */
export function missingFolders(real: string): readonly string[] {
  const folder = dirname(real)
  return existsSync(folder) ? [] : [folder, ...missingFolders(folder)]
}

/** The text of a file, with its byte order mark. Undefined if there is none, or if its bytes are not those of a text in UTF-8. */
export function textIn(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file))
  } catch {
    return undefined
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
