import { closeSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { NewestEntry } from '../../kernel/contract/newest-entry.ts'
import { newestText } from '../../kernel/contract/newest-text.ts'
import { readPrivateFile } from './key-files.ts'

export const HEAD_FILE = 'newest-entry.json'

export type NewestEntryFile = {
  readonly file: string
  /** What the process before this one noted last. Later entries may exist: it is noted after they are stored. */
  readonly last: NewestEntry | undefined
  keep(entry: NewestEntry): void
  /** What was noted last is in the file when this returns. */
  close(): Promise<void>
}

/**
 * The newest audit entry beside the keys: somebody who can only write the database cannot cut off entries that no checkpoint has
 * signed. It is written after the commit and without waiting for the disk, so it may be older than the audit, and never newer. A
 * file that cannot be read counts as absent, because a power failure may leave one.
 */
export function openNewestEntryFile(folder: string, onFault: (error: Error) => void): NewestEntryFile {
  const file = join(folder, HEAD_FILE)
  const last = entryIn(file)
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    onFault(error as Error)
  }
  let newest: NewestEntry | undefined
  let writing: Promise<void> | undefined

  /** Writes the newest entry when the previous write has ended. */
  const write = async () => {
    const handle = await open(file, 'r+')
    try {
      for (let entry = newest; entry !== undefined; entry = newest) {
        newest = undefined
        await handle.write(newestText(entry), 0)
      }
    } finally {
      await handle.close()
    }
  }
  const start = (): void => {
    writing ??= write()
      .catch((error: unknown) => onFault(error as Error))
      .finally(() => {
        writing = undefined
        if (newest !== undefined) start()
      })
  }
  return {
    file,
    last,
    keep(entry) {
      newest = entry
      start()
    },
    async close() {
      await writing
      // Waits for an entry that arrived while the file was being closed.
      await writing
    },
  }
}

function entryIn(file: string): NewestEntry | undefined {
  const text = readPrivateFile(file)
  if (!text.ok || text.value === undefined) return undefined
  try {
    const { v: _, ...entry } = NewestEntry.parse(JSON.parse(text.value))
    return entry
  } catch {
    return undefined
  }
}
