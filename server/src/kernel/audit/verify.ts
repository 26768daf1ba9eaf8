import canonicalize from 'canonicalize'
import { AuditEntry, type AuditFinding } from '../contract/audit.ts'
import { GENESIS } from '../contract/genesis.ts'
import { linkOf, type Link } from './link.ts'
import { addLeaf, NO_LEAVES, type DigestBytes, type Forest } from './merkle.ts'

export type Digests = { readonly digest: (text: string) => string; readonly digestBytes: DigestBytes }

/** How far one stream has been verified. Constant size, however long the stream is. */
export type VerifyProgress = {
  readonly stream: string
  readonly seq: number
  readonly hash: string
  readonly prev_hash: string
  /** `hash` is confirmed by something besides the entry itself: a checkpoint, or the store's own head. */
  readonly vouched: boolean
  /** The entries since the last checkpoint. */
  readonly unsigned: Forest
}

/** A statement about the hash of an entry, from a checkpoint (stored here or shipped elsewhere) or the store's own head. */
export type Claim = { readonly seq: number; readonly hash: string; readonly by: string; readonly signed: boolean }

export type VerifyStep = { readonly next: VerifyProgress } | { readonly finding: AuditFinding }

/** `after`: the base of a stream that is not verified from its first entry: signed, or trusted. */
export function startOf(stream: string, after = { seq: 0, hash: GENESIS }): VerifyProgress {
  return { stream, ...after, prev_hash: GENESIS, vouched: true, unsigned: NO_LEAVES }
}

export type SeenEntry = {
  /** The entry as stored, whatever it is. */
  readonly stored: unknown
  /** The next one, if any: it distinguishes a changed entry from a changed successor. */
  readonly following: unknown
  /** The claims about this entry. */
  readonly claims: readonly Claim[]
}

/**
 * Checks the next entry of a stream. Total: whatever is stored, the result is a finding and not an exception.
 * INVARIANT: the entry a finding names is the first one that is not as it was written, as far as that can still be determined.
 */
export function nextEntry(at: VerifyProgress, seen: SeenEntry, digests: Digests): VerifyStep {
  const link = linkOf(seen.stored)
  const hash = contentHash(seen.stored, {}, digests)
  const find = findingIn(at.stream)
  // Engines return a row whose text is no longer JSON without a previous hash.
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

/** The stream has no entry after `at`. Claims about later entries show that some are missing. */
export function endOf(at: VerifyProgress, claims: readonly Claim[]): AuditFinding | undefined {
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

/** The hash of the stored content with some fields restored; undefined if it has no canonical form. */
function contentHash(stored: unknown, fields: Readonly<Record<string, unknown>>, digests: Digests): string | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined
  const { hash: _, ...content } = stored as Readonly<Record<string, unknown>>
  try {
    const text = canonicalize({ ...content, ...fields })
    return text === undefined ? undefined : digests.digest(text)
  } catch {
    return undefined // a lone surrogate: such text was never hashed
  }
}

function isEntry(stored: unknown): boolean {
  try {
    return AuditEntry.safeParse(stored).success
  } catch {
    return false // nested deeper than the stack: such a value was never written
  }
}

const findingIn =
  (stream: string) =>
  (what: AuditFinding['what'], seq: number, says: string): VerifyStep => ({ finding: { what, stream, seq, says } })

/** The content does not match the stored hash. */
function changed(at: VerifyProgress, stored: unknown, link: Link, digests: Digests): VerifyStep {
  const find = findingIn(at.stream)
  const moved = !at.vouched && link.seq === at.seq + 1 && link.prev_hash === at.prev_hash
  if (moved && contentHash(stored, { seq: at.seq }, digests) === link.hash)
    return find('reordered', at.seq, `entry ${at.seq} was inserted; the original entry is now number ${link.seq}`)
  return find('edited', at.seq + 1, `entry ${at.seq + 1} does not match its hash`)
}

/** The entry is intact, but in the wrong position. */
function displaced(at: VerifyProgress, link: Link, following: Link | undefined): VerifyStep {
  const find = findingIn(at.stream)
  const expected = at.seq + 1
  if (link.stream !== at.stream)
    return find('reordered', expected, `an entry of \`${link.stream}\` was found where entry ${expected} was expected`)
  const twin = link.seq === at.seq && link.prev_hash === at.prev_hash && following?.prev_hash === link.hash
  if (twin && !at.vouched)
    return find('reordered', at.seq, `entry ${at.seq} was inserted; the original entry follows it`)
  // After a gap the numbers keep rising; if two entries were swapped they fall again.
  const falls = link.seq < expected || (following !== undefined && following.seq <= link.seq)
  if (falls) return find('reordered', expected, `entry ${link.seq} was found where entry ${expected} was expected`)
  const gap = link.seq - 1 === expected ? `entry ${expected} is` : `entries ${expected} to ${link.seq - 1} are`
  return find('missing', expected, `${gap} missing`)
}

/** Two intact entries that do not link: one of them was changed and rehashed. */
function unlinked(at: VerifyProgress, link: Link, seen: SeenEntry): VerifyStep {
  const find = findingIn(at.stream)
  const trusted = linkOf(seen.following)?.prev_hash === link.hash || seen.claims.some(({ hash }) => hash === link.hash)
  if (trusted && !at.vouched)
    return find('edited', at.seq, `entry ${at.seq} is not the one that entry ${link.seq} was written after`)
  return find('edited', link.seq, `entry ${link.seq} does not follow entry ${at.seq}`)
}

/** The chain is intact up to this entry, but a claim names another hash. */
function disowned(at: VerifyProgress, link: Link, claim: Claim, following: Link | undefined): VerifyStep {
  const find = findingIn(at.stream)
  if (!claim.signed || following?.prev_hash === claim.hash)
    return find('edited', link.seq, `entry ${link.seq} is not the one that ${claim.by} records`)
  const says = `entry ${link.seq} is not the one that ${claim.by} signed: it or an earlier entry was rewritten, and the entries after that were rehashed`
  return find('checkpoint_mismatch', link.seq, says)
}
