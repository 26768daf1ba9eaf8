import type { NewestEntry } from './newest-entry.ts'

/** Every text is as long as the one it replaces. A stream's name is short. */
const LENGTH = 512

/** The file's text for a newest entry. Apart from its schema, because the writer thread needs only this and would load all of zod. */
export function newestText({ stream, seq, hash, once }: NewestEntry): string {
  return `${JSON.stringify({ v: 1, stream, seq, hash, once }).padEnd(LENGTH - 1)}\n`
}
