import canonicalize from 'canonicalize'
import type { AuditBreak, Checkpoint, CheckpointBody, StreamHead } from '../contract/audit.ts'
import { GENESIS } from '../contract/genesis.ts'
import { Bug } from '../contract/problems.ts'
import type { Digests } from './verify.ts'

/** Prefix of everything that is signed, so that no other text of ours can be mistaken for a checkpoint. */
export const CHECKPOINT_DOMAIN = 'sluice.checkpoint.v1\n'

const HASH = /^[0-9a-f]{64}$/

/** The text that a checkpoint's signature covers. */
export function checkpointText(body: CheckpointBody): string {
  const text = canonicalize(body)
  if (text === undefined) throw new Bug('a checkpoint body is always an object')
  return `${CHECKPOINT_DOMAIN}${text}`
}

/** What the next checkpoint stores as `prev`: the digest of the signed text. */
export function checkpointHash(body: CheckpointBody, digest: (text: string) => string): string {
  return digest(checkpointText(body))
}

/** The row's id: two writers of the same number collide. */
export const checkpointId = (number: number): string => String(number).padStart(12, '0')

/** The last entry of a stream that a checkpoint covers; 0 if it does not cover the stream. */
export function signedUpTo(body: CheckpointBody | undefined, stream: string): number {
  return body?.streams.find((head) => head.stream === stream)?.to ?? 0
}

const total = (streams: readonly StreamHead[]): number => streams.reduce((sum, head) => sum + head.to, 0)

/**
 * The checkpoint after `previous`. It lists every stream, including those without new entries (`from` = `to` + 1, and the root of
 * no leaves), so that anybody who kept only the newest checkpoint can detect that an idle stream was truncated.
 */
export function nextBody(
  previous: CheckpointBody | undefined,
  streams: readonly StreamHead[],
  at: number,
  digest: (text: string) => string,
): CheckpointBody {
  return {
    v: 1,
    number: (previous?.number ?? 0) + 1,
    at,
    count: total(streams),
    prev: previous === undefined ? GENESIS : checkpointHash(previous, digest),
    streams: [...streams].sort(byStream),
    since_break: previous?.since_break ?? 0,
  }
}

/** A checkpoint from which an admin continues after a break: the heads as found. It signs no entry. */
export function breakBody(
  known: {
    readonly newest: CheckpointBody | undefined
    readonly number: number
    /** The streams that this gate wrote or signed before. */
    readonly streams: ReadonlySet<string>
  },
  heads: readonly { readonly stream: string; readonly seq: number; readonly hash: string }[],
  accepted: Omit<AuditBreak, 'before' | 'left_out'>,
  at: number,
  digests: Digests,
): CheckpointBody {
  const root = digests.digestBytes('')
  const { newest, number, streams: ours } = known
  const streams = heads
    .filter(({ stream, seq, hash }) => seq > 0 && HASH.test(hash) && ours.has(stream))
    .map(({ stream, seq, hash }) => ({ stream, from: seq + 1, to: seq, head: hash, root }))
  const taken = new Set(streams.map(({ stream }) => stream))
  const left_out = heads.map(({ stream }) => stream).filter((stream) => !taken.has(stream))
  const body = nextBody(newest, streams, at, digests.digest)
  return { ...body, number, since_break: number, break: { ...accepted, before: newest?.since_break ?? 0, left_out } }
}

// By code units, as canonical JSON sorts, because the order must not depend on a locale.
const byStream = (a: StreamHead, b: StreamHead): number => (a.stream < b.stream ? -1 : 1)

/** Why a body cannot follow the previous one although both are signed; undefined if it can. */
export function bodyFault(previous: CheckpointBody | undefined, body: CheckpointBody): string | undefined {
  if (body.count !== total(body.streams)) return 'its total is not the sum of its streams'
  for (const [index, head] of body.streams.entries()) {
    const before = body.streams[index - 1]
    if (before !== undefined && before.stream >= head.stream) return 'its streams are out of order or repeated'
    if (head.from !== signedUpTo(previous, head.stream) + 1) return `it leaves out entries of \`${head.stream}\``
  }
  const left = previous?.streams.find(({ stream }) => signedUpTo(body, stream) === 0)
  return left === undefined ? undefined : `it leaves out the stream \`${left.stream}\``
}

export type CheckpointPolicy = {
  /** Sign if this many entries are unsigned, */
  readonly every_entries: number
  /** or if there are unsigned entries and the newest checkpoint is this old. */
  readonly every_ms: number
}

/** Whether it is time to sign. If the clock was set back, sign: an extra checkpoint does no harm. */
export function isCheckpointDue(
  policy: CheckpointPolicy,
  newest: Checkpoint | undefined,
  entries: number,
  now: number,
): boolean {
  const unsigned = entries - (newest?.body.count ?? 0)
  if (unsigned === 0) return false
  if (unsigned >= policy.every_entries || newest === undefined) return true
  return Math.abs(now - newest.body.at) >= policy.every_ms
}
