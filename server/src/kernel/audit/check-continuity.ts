import type { AuditBroken, Checkpoint, CheckpointBody } from '../contract/audit.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import { checkpointHash, checkpointId } from './checkpoint.ts'
import { linkOf } from './link.ts'
import { CHECKPOINTS, isSigned, nextCheckpoint, readCheckpoint } from './verify-checkpoint.ts'
import type { CheckpointKeys, CheckpointFile, OwnTail, SeenEntries } from '../ports/audit.ts'
import type { AuditReads, Tables } from '../ports/reads.ts'
import type { Digest } from '../ports/runtime.ts'

export type ContinuePorts = {
  readonly audit: AuditReads
  readonly tables: Pick<Tables, 'list' | 'row'>
  readonly keys: Pick<CheckpointKeys, 'isGenuine'>
  readonly checkpointFile: CheckpointFile
  readonly digest: Digest
  readonly tail?: OwnTail
  /** Only if several nodes share the store. */
  readonly seen?: SeenEntries
  /**
   * The stream that this gate writes. Other streams may exist only if they are already signed, or another node announced them.
   */
  readonly stream?: string
}

export const brokenAudit = ({ stream, seq, says }: Omit<AuditBroken, 'at'>): Result<never> =>
  refuse('audit.broken', { stream, seq: String(seq), why: says })

/**
 * The newest checkpoint in the ledger, if the ledger continues what this gate knows: the checkpoint stored outside it, each one
 * stored after that, the entries they name, and the entry that this process wrote last. Otherwise `audit.broken`.
 */
export async function checkContinuity(deps: ContinuePorts): Promise<Result<CheckpointBody | undefined>> {
  const { newest, broken } = deps.checkpointFile.state()
  if (broken !== undefined) return brokenAudit(broken)
  try {
    const last = await lastStored(deps, newest)
    if (!last.ok) return last
    const fault = await entriesFault(deps, last.value?.body)
    return fault === undefined ? ok(last.value?.body) : brokenAudit(fault)
  } catch (error) {
    // A row that is no longer JSON. Disk damage is not a `Bug`.
    if (!(error instanceof Bug)) throw error
    return atCheckpoint(newest?.body.number ?? 0, 'a stored row cannot be read')
  }
}

const atCheckpoint = (seq: number, says: string): Result<never> => brokenAudit({ stream: CHECKPOINTS, seq, says })

async function lastStored(deps: ContinuePorts, saved: Checkpoint | undefined): Promise<Result<Checkpoint | undefined>> {
  const before = await newestIn(deps)
  if (before === 'unreadable') return atCheckpoint(0, 'the newest checkpoint cannot be read')
  if (deps.checkpointFile.state().missing) return adopted(deps, before)
  const walked = await walkFrom(deps, saved)
  if (!walked.ok) return walked
  const isGrown = (walked.value?.body.number ?? 0) > (before?.body.number ?? 0)
  // Another node may have signed one since the newest was read.
  const newest = isGrown ? await newestIn(deps) : before
  if (newest === 'unreadable') return atCheckpoint(0, 'the newest checkpoint cannot be read')
  if (isGrown && (newest?.body.number ?? 0) >= (walked.value?.body.number ?? 0)) return walked
  if (newest?.body.number === walked.value?.body.number) return walked
  const number = (walked.value?.body.number ?? 0) + 1
  return atCheckpoint(number, `checkpoint ${newest?.body.number ?? 0} follows checkpoint ${number - 1}`)
}

async function newestIn({ tables }: ContinuePorts): Promise<Checkpoint | undefined | 'unreadable'> {
  const [held] = await tables.list('checkpoints', {}, { limit: 1, newest_first: true })
  return held === undefined ? undefined : (readCheckpoint(held.row) ?? 'unreadable')
}

/** Earlier releases stored none outside the ledger: what is in the ledger is accepted once. */
function adopted({ keys }: ContinuePorts, newest: Checkpoint | undefined): Result<Checkpoint | undefined> {
  if (newest === undefined) return ok(undefined)
  const { number, since_break } = newest.body
  if (since_break !== undefined) return atCheckpoint(number, 'the checkpoint stored with the keys is missing')
  if (!isSigned(newest, keys)) return atCheckpoint(number, `checkpoint ${number} is not signed by a key of this gate`)
  return ok(newest)
}

/** From the checkpoint stored with the keys to the last one that follows it; usually there is none. */
async function walkFrom(deps: ContinuePorts, saved: Checkpoint | undefined): Promise<Result<Checkpoint | undefined>> {
  const fault = saved === undefined ? undefined : await savedFault(deps, saved)
  if (fault !== undefined) return atCheckpoint(saved?.body.number ?? 0, fault)
  let last = saved
  for (;;) {
    const stored = await deps.tables.row('checkpoints', checkpointId((last?.body.number ?? 0) + 1))
    if (stored === undefined) return ok(last)
    const judged = nextCheckpoint(last?.body, stored.row, deps.keys, deps.digest)
    if ('finding' in judged) return brokenAudit(judged.finding)
    last = judged.next
  }
}

async function savedFault({ tables, keys, digest }: ContinuePorts, saved: Checkpoint): Promise<string | undefined> {
  const { number } = saved.body
  if (!isSigned(saved, keys)) return 'the checkpoint stored with the keys is not signed by a key of this gate'
  const stored = readCheckpoint((await tables.row('checkpoints', checkpointId(number)))?.row)
  if (stored === undefined) return `checkpoint ${number} is missing`
  const isSame = checkpointHash(stored.body, digest) === checkpointHash(saved.body, digest) && isSigned(stored, keys)
  return isSame ? undefined : `checkpoint ${number} is not the one stored with the keys`
}

type Fault = Omit<AuditBroken, 'at'>

async function entriesFault(deps: ContinuePorts, newest: CheckpointBody | undefined): Promise<Fault | undefined> {
  for (const { stream, to, head } of newest?.streams ?? []) {
    if ((await hashAt(deps, stream, to)) !== head)
      return { stream, seq: to, says: `entry ${to} is not the one that checkpoint ${newest?.number ?? 0} signed` }
  }
  const own = deps.tail?.ownTail()
  if (own !== undefined && (await hashAt(deps, own.stream, own.seq)) !== own.hash)
    return { stream: own.stream, seq: own.seq, says: `entry ${own.seq} is not the one that this gate wrote` }
  for (const { stream, seq, hash } of deps.seen?.all() ?? [])
    if ((await hashAt(deps, stream, seq)) !== hash)
      return { stream, seq, says: `entry ${seq}, which this node has seen, is missing or was changed` }
  return headsFault(deps, newest)
}

/** The stored heads, without the streams that an accepted break left out. */
export async function signedHeads(
  { audit, tables }: Pick<ContinuePorts, 'audit' | 'tables'>,
  newest: CheckpointBody | undefined,
): ReturnType<AuditReads['heads']> {
  const number = newest?.since_break ?? 0
  const accepted = number === 0 ? undefined : (await tables.row('checkpoints', checkpointId(number)))?.row
  const leftOut = new Set(readCheckpoint(accepted)?.body.break?.left_out)
  return (await audit.heads()).filter(({ stream }) => !leftOut.has(stream))
}

/** A head that no gate stored, unless a checkpoint signed it: then an admin accepted it. */
export function forgedHead(
  { stream, seq, hash, forged }: Awaited<ReturnType<AuditReads['heads']>>[number],
  newest: CheckpointBody | undefined,
): Fault | undefined {
  const isSigned = newest?.streams.some(
    (signed) => signed.stream === stream && signed.to === seq && signed.head === hash,
  )
  if (forged !== true || isSigned === true) return undefined
  return { stream, seq, says: `the stored head at entry ${seq} was not written by this gate` }
}

async function headsFault(deps: ContinuePorts, newest: CheckpointBody | undefined): Promise<Fault | undefined> {
  const signed = new Map(newest?.streams.map((head) => [head.stream, head.to]))
  const heads = await signedHeads(deps, newest)
  const announced = await deps.audit.announced?.()
  for (const head of heads) {
    const { stream, seq, hash } = head
    const forged = forgedHead(head, newest)
    if (forged !== undefined) return forged
    const isOwn = deps.stream === undefined || stream === deps.stream
    const isKnown = isOwn || signed.has(stream) || announced?.has(stream) === true
    if (!isKnown) return { stream, seq: 1, says: `the stream \`${stream}\` was not written by this gate` }
    const fault = await headFault(deps, stream, seq, hash)
    if (fault !== undefined) return { stream, ...fault }
  }
  const seqs = new Map(heads.map(({ stream, seq }) => [stream, seq]))
  const cut = newest?.streams.find(({ stream, to }) => (seqs.get(stream) ?? 0) < to)
  const says = `the stream ends before entry ${cut?.to ?? 0}, which checkpoint ${newest?.number ?? 0} signed`
  if (cut !== undefined) return { stream: cut.stream, seq: (seqs.get(cut.stream) ?? 0) + 1, says }
  deps.seen?.see(heads)
  return undefined
}

async function headFault(
  deps: ContinuePorts,
  stream: string,
  seq: number,
  hash: string,
): Promise<Omit<Fault, 'stream'> | undefined> {
  const rows = await deps.audit.entries(stream, Math.max(1, seq), 2)
  if (seq > 0 && rows[0] === undefined) return { seq, says: `entry ${seq} is missing` }
  if (seq > 0 && linkOf(rows[0])?.hash !== hash) return { seq: seq + 1, says: `the stored head is not entry ${seq}` }
  if (rows.slice(seq === 0 ? 0 : 1).length === 0) return undefined
  // It may have grown since the heads were read.
  const now = (await deps.audit.heads()).find((head) => head.stream === stream)
  if (now !== undefined && now.seq > seq) return undefined
  return { seq: seq + 1, says: `entry ${seq + 1} follows the stored head` }
}

async function hashAt({ audit }: ContinuePorts, stream: string, seq: number): Promise<string | undefined> {
  const link = linkOf((await audit.entries(stream, seq, 1))[0])
  return link?.seq === seq ? link.hash : undefined
}
