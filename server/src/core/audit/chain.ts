import canonicalize from 'canonicalize'
import type { AuditDraft, AuditEntry } from '../../contract/audit.ts'
import { GENESIS } from '../../contract/genesis.ts'
import { Bug } from '../../contract/problems.ts'

export type Head = { readonly stream: string; readonly seq: number; readonly hash: string }
export const emptyHead = (stream: string): Head => ({ stream, seq: 0, hash: GENESIS })

type Unhashed = Omit<AuditEntry, 'hash'>

/** The text an entry's hash covers: everything but the hash itself, canonical. */
export function entryText(entry: Unhashed): string {
  const text = canonicalize(entry)
  if (text === undefined) throw new Bug('an audit entry is always an object')
  return text
}

/** The next link of a stream. Engines call this inside the commit, where sequence and previous hash are known. */
export function linkEntry(
  head: Head,
  draft: AuditDraft,
  digest: (text: string) => string,
): { entry: AuditEntry; text: string } {
  const unhashed: Unhashed = { ...draft, v: 1, stream: head.stream, seq: head.seq + 1, prev_hash: head.hash }
  const text = entryText(unhashed)
  return { entry: { ...unhashed, hash: digest(text) }, text }
}
