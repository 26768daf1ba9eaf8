import canonicalize from 'canonicalize'
import type { AuditDraft, AuditEntry } from '../contract/audit.ts'
import { GENESIS } from '../contract/genesis.ts'
import { Bug } from '../contract/problems.ts'
import { printCanonical } from '../json/print-canonical.ts'

export type Head = { readonly stream: string; readonly seq: number; readonly hash: string }
export const emptyHead = (stream: string): Head => ({ stream, seq: 0, hash: GENESIS })

type Unhashed = Omit<AuditEntry, 'hash'>

/** The canonical text that an entry's hash covers: everything but the hash itself. */
export function entryText(entry: Unhashed): string {
  const text = canonicalize(entry)
  if (text === undefined) throw new Bug('an audit entry is always an object')
  return text
}

/** The canonical text of a draft, split where the commit inserts what only it knows: previous hash, sequence, stream. */
export type EntryParts = { readonly before: string; readonly after: string }

type Before = 'about' | 'actor' | 'args_hash' | 'at' | 'outcome'
type After = 'subject' | 'trace' | 'type' | 'verdict'
/** A new field of drafts sorts alphabetically either before `prev_hash` or after `stream`. Until it is named here, nothing compiles. */
type Placed = [Exclude<keyof AuditDraft, Before | After>] extends [never] ? AuditDraft : never

/** INVARIANT: `linkEntry` of these parts equals the `entryText` of the same entry (law in chain.test.ts). */
export function entryParts({
  about,
  actor,
  args_hash,
  at,
  outcome,
  subject,
  trace,
  type,
  verdict,
}: Placed): EntryParts {
  return {
    before: members({ about, actor, args_hash, at, outcome }),
    after: members({ subject, trace, type, v: 1, verdict }),
  }
}

const members = (value: object): string => printCanonical(value).slice(1, -1)

/** The next entry of a stream. Engines call this inside the commit, where sequence and previous hash are known. */
export function linkEntry(
  head: Head,
  { before, after }: EntryParts,
  digest: (text: string) => string,
): { readonly head: Head; readonly text: string } {
  const seq = head.seq + 1
  const known = `"prev_hash":${JSON.stringify(head.hash)},"seq":${seq},"stream":${JSON.stringify(head.stream)}`
  const text = `{${before},${known},${after}}`
  return { head: { stream: head.stream, seq, hash: digest(text) }, text }
}
