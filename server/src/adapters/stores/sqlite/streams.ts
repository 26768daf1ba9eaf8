import type { StatementSync } from 'node:sqlite'

/**
 * The most entries of one stream. Streams follow each other in the audit: the first stream's places are its sequence numbers, the
 * second's begin after this many, and so on. One number is the key, so that appending writes one tree.
 */
export const STREAM_LENGTH = 2 ** 40

export const NUMBER_OF_STREAM = 'SELECT number FROM streams WHERE stream = ?'

/** The place before a stream's first entry; undefined for a stream that was never opened. */
export function startOfStream(prepare: (sql: string) => StatementSync, stream: string): number | undefined {
  const row = prepare(NUMBER_OF_STREAM).get(stream) as { number: number } | undefined
  return row === undefined ? undefined : (row.number - 1) * STREAM_LENGTH
}
