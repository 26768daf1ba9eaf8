import type { CheckpointBody, StreamHead } from '../contract/audit.ts'
import { GENESIS } from '../contract/genesis.ts'
import { linkOf } from './link.ts'
import { addLeaf, addLeaves, forestRoot, NO_LEAVES, type DigestBytes, type Forest } from './merkle.ts'

/** A regular expression, because tens of thousands are checked per minute and a schema would take longer than the hashing. */
const HASH = /^[0-9a-f]{64}$/

/** The entries of one stream that the next checkpoint will sign, as far as they have been read. */
export type Range = {
  readonly stream: string
  readonly from: number
  readonly to: number
  readonly head: string
  readonly leaves: Forest
}

/** An empty range, starting where the previous checkpoint ended. */
export function rangeAfter(previous: CheckpointBody | undefined, stream: string): Range {
  const signed = previous?.streams.find((head) => head.stream === stream)
  const to = signed?.to ?? 0
  return { stream, from: to + 1, to, head: signed?.head ?? GENESIS, leaves: NO_LEAVES }
}

/**
 * The range with one more entry; undefined if the entry does not follow. Only the links are compared: an entry whose content was
 * changed has a hash that does not match it, and no signature over that hash can repair it.
 */
export function extendRange(range: Range, stored: unknown, digest: DigestBytes): Range | undefined {
  const link = linkOf(stored)
  if (link === undefined || link.seq !== range.to + 1 || link.prev_hash !== range.head) return undefined
  if (!HASH.test(link.hash)) return undefined
  return { ...range, to: link.seq, head: link.hash, leaves: addLeaf(range.leaves, link.hash, digest) }
}

/** The range with entries whose links are known to be right. */
export function addHashes(range: Range, hashes: readonly string[], digest: DigestBytes): Range {
  const odd = hashes.findIndex((hash) => !HASH.test(hash))
  const added = odd === -1 ? hashes : hashes.slice(0, odd)
  const { to, head, leaves } = range
  return { ...range, to: to + added.length, head: added.at(-1) ?? head, leaves: addLeaves(leaves, added, digest) }
}

export function headOf({ stream, from, to, head, leaves }: Range, digest: DigestBytes): StreamHead {
  return { stream, from, to, head, root: forestRoot(leaves, digest) }
}
