import canonicalize from 'canonicalize'
import { AuditEntry, type AuditFinding } from '../../contract/audit.ts'
import { GENESIS } from '../../contract/genesis.ts'
import { linkOf, type Link } from './link.ts'
import { addLeaf, NO_LEAVES, type DigestBytes, type Forest } from './merkle.ts'

export type Digests = { readonly digest: (text: string) => string; readonly digestBytes: DigestBytes }

/** How far one stream has been verified. All that is remembered of it, however long it is. */
export type Progress = {
  readonly stream: string
  readonly seq: number
  readonly hash: string
  readonly prev_hash: string
  /** Something besides the entry itself stands for `hash`: a checkpoint, or the store's own head. */
  readonly vouched: boolean
  /** The entries since the last checkpoint. */
  readonly unsigned: Forest
}

/** Somebody says which hash an entry has: a checkpoint (ours, or one that was shipped), or the store's own head. */
export type Claim = { readonly seq: number; readonly hash: string; readonly by: string; readonly signed: boolean }

export type Step = { readonly next: Progress } | { readonly finding: AuditFinding }

/** `after` is the base of a stream that is not verified from its first entry: signed there, or taken on trust. */
export function startOf(stream: string, after = { seq: 0, hash: GENESIS }): Progress {
  return { stream, ...after, prev_hash: GENESIS, vouched: true, unsigned: NO_LEAVES }
}

export type Seen = {
  /** The entry as stored, whatever it is. */
  readonly stored: unknown
  /** The one after it, if any: it tells a changed entry from a changed successor. */
  readonly following: unknown
  /** What is said about this very entry. */
  readonly claims: readonly Claim[]
}

/**
 * Judge the next entry of a stream. Total: whatever is stored, the answer is a finding and not an exception.
 * INVARIANT: the entry a finding names is the first one that is not as it was written, as far as anything still tells.
 */
export function nextEntry(at: Progress, seen: Seen, digests: Digests): Step {
  const link = linkOf(seen.stored)
  const hash = contentHash(seen.stored, {}, digests)
  const find = findingIn(at.stream)
  // Engines return a row whose text is no JSON any more without a previous hash.
  if (link === undefined || hash === undefined || link.prev_hash === '')
    return find('unreadable', at.seq + 1, `entry ${at.seq + 1} cannot be read`)
  if (link.hash !== hash) return changed(at, seen.stored, link, digests)
  if (link.stream !== at.stream || link.seq !== at.seq + 1) return displaced(at, link, linkOf(seen.following))
  if (link.prev_hash !== at.hash) return unlinked(at, link, seen)
  const denied = seen.claims.find((claim) => claim.hash !== link.hash)
  if (denied !== undefined) return disowned(at, link, denied, linkOf(seen.following))
  if (!isEntry(seen.stored))
    return find('unreadable', link.seq, `entry ${link.seq} has a format that this release does not support`)
  const unsigned = addLeaf(at.unsigned, link.hash, digests.digestBytes)
  return { next: { ...at, ...place(link), vouched: seen.claims.length > 0, unsigned } }
}

/** The stream has no entry after `at`. Claims about later ones show that there were some. */
export function endOf(at: Progress, claims: readonly Claim[]): AuditFinding | undefined {
  const later = claims.find((claim) => claim.seq > at.seq)
  if (later === undefined) return undefined
  const what = at.seq === 0 ? 'missing' : 'truncated'
  const says =
    at.seq === 0
      ? `the whole stream is missing, but ${later.by} records entry ${later.seq}`
      : `the stream ends at entry ${at.seq}, but ${later.by} records entry ${later.seq}`
  return { what, stream: at.stream, seq: at.seq + 1, says }
}

const place = ({ seq, hash, prev_hash }: Link): Omit<Link, 'stream'> => ({ seq, hash, prev_hash })

/** The hash that the stored content has, with some fields put back; undefined when it has no canonical form. */
function contentHash(stored: unknown, fields: Readonly<Record<string, unknown>>, digests: Digests): string | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined
  const { hash: _, ...content } = stored as Readonly<Record<string, unknown>>
  try {
    const text = canonicalize({ ...content, ...fields })
    return text === undefined ? undefined : digests.digest(text)
  } catch {
    return undefined // a lone surrogate: nothing that was ever hashed
  }
}

function isEntry(stored: unknown): boolean {
  try {
    return AuditEntry.safeParse(stored).success
  } catch {
    return false // nested deeper than the stack: nothing that was ever written
  }
}

const findingIn =
  (stream: string) =>
  (what: AuditFinding['what'], seq: number, says: string): Step => ({ finding: { what, stream, seq, says } })

/** The content does not have the hash that is stored with it. */
function changed(at: Progress, stored: unknown, link: Link, digests: Digests): Step {
  const find = findingIn(at.stream)
  const moved = !at.vouched && link.seq === at.seq + 1 && link.prev_hash === at.prev_hash
  if (moved && contentHash(stored, { seq: at.seq }, digests) === link.hash)
    return find('reordered', at.seq, `entry ${at.seq} was inserted; the original entry is now number ${link.seq}`)
  return find('edited', at.seq + 1, `entry ${at.seq + 1} does not match its hash`)
}

/** The entry is whole, but belongs elsewhere. */
function displaced(at: Progress, link: Link, following: Link | undefined): Step {
  const find = findingIn(at.stream)
  const expected = at.seq + 1
  if (link.stream !== at.stream)
    return find('reordered', expected, `an entry of \`${link.stream}\` was found where entry ${expected} was expected`)
  const twin = link.seq === at.seq && link.prev_hash === at.prev_hash && following?.prev_hash === link.hash
  if (twin && !at.vouched)
    return find('reordered', at.seq, `entry ${at.seq} was inserted; the original entry follows it`)
  // After a gap the numbers go on rising; where two changed places they fall again.
  const falls = link.seq < expected || (following !== undefined && following.seq <= link.seq)
  if (falls) return find('reordered', expected, `entry ${link.seq} was found where entry ${expected} was expected`)
  const gap = link.seq - 1 === expected ? `entry ${expected} is` : `entries ${expected} to ${link.seq - 1} are`
  return find('missing', expected, `${gap} missing`)
}

/** Two whole entries that do not follow one another: one of them was changed and hashed again. */
function unlinked(at: Progress, link: Link, seen: Seen): Step {
  const find = findingIn(at.stream)
  const trusted = linkOf(seen.following)?.prev_hash === link.hash || seen.claims.some(({ hash }) => hash === link.hash)
  if (trusted && !at.vouched)
    return find('edited', at.seq, `entry ${at.seq} is not the one that entry ${link.seq} was written after`)
  return find('edited', link.seq, `entry ${link.seq} does not follow entry ${at.seq}`)
}

/** The chain is whole up to this entry, but somebody knows another one in its place. */
function disowned(at: Progress, link: Link, claim: Claim, following: Link | undefined): Step {
  const find = findingIn(at.stream)
  if (!claim.signed || following?.prev_hash === claim.hash)
    return find('edited', link.seq, `entry ${link.seq} is not the one that ${claim.by} records`)
  const says = `entry ${link.seq} is not the one that ${claim.by} signed: it or an earlier entry was rewritten, and the entries after that were rehashed`
  return find('checkpoint_mismatch', link.seq, says)
}
