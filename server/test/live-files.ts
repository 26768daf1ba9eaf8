import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A running gate replaces and removes files: one that was listed can be gone when it is read. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export type FileBelow = { readonly path: string; readonly bytes: Buffer }

/** Every file below the folder of a gate that may be running, files that SQLite keeps beside its own included. */
export function filesBelow(folder: string): readonly FileBelow[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      const bytes = unlessGone(() => readFileSync(path))
      return bytes === undefined ? [] : [{ path, bytes }]
    })
}

/** All of them as one text, one character per byte. */
export const bytesBelow = (folder: string): string =>
  filesBelow(folder)
    .map(({ bytes }) => bytes.toString('latin1'))
    .join('\n')

/** A copy of the files of a gate that may be running, with their modes. */
export function copyLive(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: statSync(from).mode & 0o777 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) unlessGone(() => copyLive(source, target))
    else if (entry.isFile()) unlessGone(() => copyFileSync(source, target))
  }
}
