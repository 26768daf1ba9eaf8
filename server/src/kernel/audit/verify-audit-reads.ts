import type { AuditReads, Tables } from '../ports/reads.ts'

/** Few enough that a call that arrives in the meantime hardly waits. */
export const ENTRIES_AT_ONCE = 128
const CHECKPOINTS_AT_ONCE = 64

/** An embedded store answers synchronously, so a long walk has to yield by itself. */
export const letOthersRun = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Checkpoints in the order they were written, as stored. An unreadable row is `undefined`, and the last one. */
export async function* storedCheckpoints(tables: Pick<Tables, 'list'>, start?: number): AsyncGenerator {
  let after = start
  for (;;) {
    const from = after
    const page = await largestReadable([CHECKPOINTS_AT_ONCE, 1], (limit) =>
      tables.list('checkpoints', {}, { limit, ...(from === undefined ? {} : { after: from }) }),
    )
    if (page === undefined) return yield undefined
    for (const held of page) yield held.row
    after = page.at(-1)?.cursor
    if (after === undefined) return undefined
  }
}

/** Tries ever smaller pages, so that one unreadable row hides none of those before it. */
async function largestReadable<T>(limits: readonly number[], read: (limit: number) => Promise<T>) {
  await letOthersRun()
  for (const limit of limits) {
    try {
      return await read(limit)
    } catch {
      // The next limit is smaller; after the smallest the first row is the unreadable one.
    }
  }
  return undefined
}

/** The next two entries of a stream as stored; `undefined` for an unreadable one, nothing at the end. */
export type LookAhead = (seq: number) => Promise<readonly unknown[]>

/**
 * Reads one stream page by page.
 * INVARIANT: for `seq`, it returns the stored rows from `seq` on, by position and not by what the rows contain; callers ask for
 * ascending positions.
 */
export function entryReader(audit: Pick<AuditReads, 'entries'>, stream: string, page: number): LookAhead {
  let held: readonly unknown[] = []
  let place = 0
  return async (seq) => {
    held = held.slice(seq - place)
    place = seq
    if (held.length < 2)
      held = (await largestReadable([page, 2, 1], (limit) => audit.entries(stream, seq, limit))) ?? [undefined]
    return held.slice(0, 2)
  }
}
