import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'

/** Permission bits for anybody but the owner. Windows has no such bits. */
const OTHERS = process.platform === 'win32' ? 0 : 0o077
const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')

/** A file system error is an expected failure; anything else is a bug and is thrown. */
function guarded<T>(file: string, work: () => Result<T>): Result<T> {
  try {
    return work()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (typeof code !== 'string') throw cause
    return refuse('key.absent', { file, why: code })
  }
}

function statOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Creates the folder if necessary. One that others may access is rejected: they could replace the keys. */
export function openPrivateFolder(folder: string): Result<void> {
  return guarded(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const mode = statOf(folder)?.mode ?? OTHERS
    if ((mode & OTHERS) === 0) return ok(undefined)
    return refuse('key.absent', { file: folder, mode: octal(mode), why: 'readable by other users' })
  })
}

/** The text of a file that only its owner can read; undefined if there is none. */
export function readPrivateFile(file: string): Result<string | undefined> {
  return guarded(file, () => {
    const stat = statOf(file)
    if (stat === undefined) return ok(undefined)
    if (!stat.isFile()) return refuse('key.absent', { file, why: 'not a regular file' })
    if ((stat.mode & OTHERS) !== 0)
      return refuse('key.absent', { file, mode: octal(stat.mode), why: 'readable by other users' })
    return ok(readFileSync(file, 'utf8'))
  })
}

function syncFolder(folder: string): void {
  // Windows cannot open folders; its renames are durable by themselves.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

function writeWhole(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Replaces the file as a whole: after a crash there is the old text or the new one, never a part. Durable on return. */
export function writePrivateFile(file: string, text: string): Result<void> {
  return guarded(file, () => {
    const fresh = `${file}.new`
    rmSync(fresh, { force: true })
    writeWhole(fresh, text)
    renameSync(fresh, file)
    syncFolder(dirname(file))
    return ok(undefined)
  })
}
