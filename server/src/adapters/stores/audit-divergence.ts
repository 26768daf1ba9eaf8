import type { Head } from '../../kernel/audit/chain.ts'
import type { Divergence } from './batch-link.ts'

/** What a writer remembers of its stream. */
export type RememberedTail = {
  /** Nobody else appends to the stream. */
  readonly alone: boolean
  /** The entry that this process wrote last. */
  readonly last?: Head | undefined
  /** An entry that an earlier process is known to have stored. */
  readonly floor?: Head | undefined
  /** Whether a commit failed since with an unknown result. */
  readonly inDoubt: boolean
}
/** What is stored of the stream: its recorded head, its last entry, and the hash of any entry. */
export type StoredTail = {
  readonly named: Head
  readonly last: Head
  readonly hashAt: (seq: number) => unknown
  /** Whether the head has this gate's MAC, if heads have one. */
  readonly genuine?: boolean
}

/** Where the store differs from what this process wrote; undefined if it does not. */
export function divergence(
  memory: RememberedTail,
  { named, last, hashAt, genuine = true }: StoredTail,
): Divergence | undefined {
  const { stream } = last
  const known = memory.last
  if (known !== undefined && known.seq > last.seq)
    return { stream, seq: last.seq + 1, says: `the stream ends at entry ${last.seq}, but this gate wrote ${known.seq}` }
  if (known !== undefined && hashAt(known.seq) !== known.hash)
    return { stream, seq: known.seq, says: `entry ${known.seq} is not the one that this gate wrote` }
  if (known !== undefined && memory.alone && !memory.inDoubt && last.seq !== known.seq)
    return { stream, seq: known.seq + 1, says: `entry ${known.seq + 1} was not written by this gate` }
  // This process remembers what it wrote itself.
  if (known === undefined && !genuine)
    return { stream, seq: last.seq, says: `the stored head at entry ${named.seq} was not written by this gate` }
  const { floor } = memory
  if (known === undefined && floor !== undefined && hashAt(floor.seq) !== floor.hash) {
    const seq = Math.min(floor.seq, last.seq + 1)
    return { stream, seq, says: `entry ${floor.seq}, which an earlier process stored, is missing or was changed` }
  }
  if (named.seq === last.seq && named.hash === last.hash) return undefined
  const seq = Math.min(named.seq, last.seq) + 1
  return { stream, seq, says: `the stored head names entry ${named.seq}, but the last entry is ${last.seq}` }
}
