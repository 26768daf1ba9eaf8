import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPrivateFile } from './key-files.ts'

export const HEAD_FILE = 'newest-entry.json'

/** The newest entry of an audit stream. */
type Entry = { readonly stream: string; readonly seq: number; readonly hash: string }

export type KeptHead = {
  /** What the process before this one noted last. Later entries may exist: it is noted after they are stored. */
  readonly last: Entry | undefined
  keep(entry: Entry): void
  /** What was noted last is in the file when this returns. */
  close(): Promise<void>
}

/** So often is it written at most. What a process wrote in the last moment before it was killed is not noted. */
const EVERY_MS = 200

/**
 * The newest audit entry beside the keys: whoever can only write the database cannot cut off entries that no checkpoint has signed.
 * It is written after the commit and without waiting for the disk, so it may be older than the audit, and never newer. A file that cannot
 * be read counts as absent: a loss of power may leave one.
 */
export function openKeptHead(folder: string, onFault: (error: Error) => void): KeptHead {
  const file = join(folder, HEAD_FILE)
  let newest: Entry | undefined
  let writing: Promise<void> | undefined
  const closing = new AbortController()

  const write = async () => {
    for (let entry = newest; entry !== undefined; entry = newest) {
      newest = undefined
      await writeFile(`${file}.new`, `${JSON.stringify({ v: 1, ...entry })}\n`, { mode: 0o600 })
      await rename(`${file}.new`, file)
      await sleep(EVERY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
    }
  }
  const start = () => {
    writing ??= write()
      .catch((error: unknown) => onFault(error as Error))
      .finally(() => (writing = undefined))
  }
  return {
    last: entryIn(file),
    keep(entry) {
      newest = entry
      start()
    },
    async close() {
      closing.abort()
      await writing
      start()
      await writing
    },
  }
}

function entryIn(file: string): Entry | undefined {
  const text = readPrivateFile(file)
  if (!text.ok || text.value === undefined) return undefined
  try {
    const { v, stream, seq, hash } = JSON.parse(text.value) as Record<string, unknown>
    const isEntry = v === 1 && typeof stream === 'string' && Number.isSafeInteger(seq) && typeof hash === 'string'
    return isEntry ? { stream, seq: Number(seq), hash } : undefined
  } catch {
    return undefined
  }
}
