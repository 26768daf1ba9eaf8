import type { Checkpoint, CheckpointBody, StreamHead } from '../contract/audit.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { checkpointId, checkpointText, nextBody } from './checkpoint.ts'
import type { Digests } from './verify.ts'
import type { CheckpointKeys, CheckpointFile } from '../ports/audit.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { brokenAudit, checkContinuity, forgedHead, signedHeads, type ContinuePorts } from './check-continuity.ts'
import { ENTRIES_AT_ONCE, letOthersRun } from './verify-audit-reads.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import { GENESIS } from '../contract/genesis.ts'
import { linkOf } from './link.ts'
import { addLeaf, addLeaves, forestRoot, NO_LEAVES, type DigestBytes, type Forest } from './merkle.ts'

export type WriteCheckpointPorts = Digests &
  ContinuePorts & {
    readonly ledger: Ledger
    readonly keys: Pick<CheckpointKeys, 'sign' | 'isGenuine'>
    readonly clock: Clock
  }

const TRIES = 5

/**
 * Signs the current heads of all streams. Two writers cannot both write one number: the slower one tries again.
 * INVARIANT: only what continues the checkpoint stored with the keys is signed; otherwise the answer is `audit.broken`.
 */
export async function writeCheckpoint(deps: WriteCheckpointPorts): Promise<Result<Checkpoint | 'nothing_new'>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const written = await writeNext(deps)
    if (written !== 'lost') return written
  }
  return refuse('audit.unavailable', { why: 'other nodes wrote checkpoints first each time' })
}

/** A checkpoint of the current state: a new one, or the newest if nothing was added since. Undefined for an empty audit. */
export async function presentCheckpoint(deps: WriteCheckpointPorts): Promise<Result<Checkpoint | undefined>> {
  const written = await writeCheckpoint(deps)
  if (!written.ok) return written
  return ok(written.value === 'nothing_new' ? await newestCheckpoint(deps.tables) : written.value)
}

/** Undefined before the first. */
export async function newestCheckpoint(tables: Pick<Tables, 'list'>): Promise<Checkpoint | undefined> {
  const [newest] = await tables.list('checkpoints', {}, { limit: 1, newest_first: true })
  return newest?.row
}

async function writeNext(deps: WriteCheckpointPorts): Promise<Result<Checkpoint | 'nothing_new'> | 'lost'> {
  const continued = await checkContinuity(deps)
  if (!continued.ok) return continued
  const previous = continued.value
  const streams = await gatherHeads(deps, previous)
  if (!streams.ok) return streams
  const body = nextBody(previous, streams.value, deps.clock(), deps.digest)
  if (body.count === (previous?.count ?? 0)) return ok('nothing_new')
  const checkpoint: Checkpoint = { body, ...deps.keys.sign(checkpointText(body)) }
  const id = checkpointId(body.number)
  const committed = await deps.ledger.commit([
    { kind: 'swap', table: 'checkpoints', id, from: 'absent', to: checkpoint },
  ])
  if (committed === 'committed') {
    await keepNewest(deps.checkpointFile, checkpoint)
    return ok(checkpoint)
  }
  return isUnrecorded(committed) ? refuseUnrecorded(committed) : 'lost'
}

/** Two writers may arrive in reverse order; and a break found in the meantime stays recorded. */
async function keepNewest(checkpointFile: CheckpointFile, checkpoint: Checkpoint): Promise<void> {
  const { missing: _, ...known } = checkpointFile.state()
  if ((known.newest?.body.number ?? 0) < checkpoint.body.number)
    await checkpointFile.keep({ ...known, newest: checkpoint })
}

async function gatherHeads(
  deps: WriteCheckpointPorts,
  previous: CheckpointBody | undefined,
): Promise<Result<StreamHead[]>> {
  const heads = new Map((await signedHeads(deps, previous)).map((head) => [head.stream, head]))
  const streams = new Set([...(previous?.streams ?? []).map(({ stream }) => stream), ...heads.keys()])
  const gathered: StreamHead[] = []
  for (const stream of streams) {
    const head = heads.get(stream) ?? { stream, seq: 0, hash: '' }
    const forged = forgedHead(head, previous)
    if (forged !== undefined) return brokenAudit(forged)
    const range = await readRange(deps, rangeAfter(previous, stream), head.seq)
    if (range.to !== head.seq || range.head !== head.hash)
      return brokenAudit({
        stream,
        seq: Math.min(range.to, head.seq) + 1,
        says: `entry ${Math.min(range.to, head.seq) + 1} does not follow the one before it`,
      })
    gathered.push(headOf(range, deps.digestBytes))
  }
  return ok(gathered)
}

/** Extends the range towards `to`, as far as the entries are linked. Entries are read only if the store cannot confirm their links. */
async function readRange(deps: WriteCheckpointPorts, empty: Range, to: number): Promise<Range> {
  let range = await hashRange(deps, empty, to)
  while (range.to < to) {
    await letOthersRun()
    const page = await deps.audit.entries(range.stream, range.to + 1, Math.min(ENTRIES_AT_ONCE, to - range.to))
    const before = range.to
    range = extendAll(deps, range, page)
    if (range.to !== before + page.length || page.length === 0) return range
  }
  return range
}

async function hashRange(deps: WriteCheckpointPorts, empty: Range, to: number): Promise<Range> {
  let range = empty
  while (range.to < to) {
    await letOthersRun()
    const limit = Math.min(ENTRIES_AT_ONCE, to - range.to)
    const hashes = await deps.audit.linkedHashes(range.stream, range.to + 1, range.head, limit)
    const before = range.to
    range = addHashes(range, hashes, deps.digestBytes)
    if (range.to !== before + limit) return range
  }
  return range
}

function extendAll(deps: WriteCheckpointPorts, empty: Range, page: readonly unknown[]): Range {
  let range = empty
  for (const stored of page) {
    const longer = extendRange(range, stored, deps.digestBytes)
    if (longer === undefined) return range
    range = longer
  }
  return range
}

/** A regular expression, because tens of thousands are checked per minute and a schema would take longer than the hashing. */
const HASH = /^[0-9a-f]{64}$/

/** The entries of one stream that the next checkpoint will sign, as far as they have been read. */
type Range = {
  readonly stream: string
  readonly from: number
  readonly to: number
  readonly head: string
  readonly leaves: Forest
}

/** An empty range, starting where the previous checkpoint ended. */
function rangeAfter(previous: CheckpointBody | undefined, stream: string): Range {
  const signed = previous?.streams.find((head) => head.stream === stream)
  const to = signed?.to ?? 0
  return { stream, from: to + 1, to, head: signed?.head ?? GENESIS, leaves: NO_LEAVES }
}

/**
 * The range with one more entry; undefined if the entry does not follow. Only the links are compared: an entry whose content was
 * changed has a hash that does not match it, and no signature over that hash can repair it.
 */
function extendRange(range: Range, stored: unknown, digest: DigestBytes): Range | undefined {
  const link = linkOf(stored)
  if (link === undefined || link.seq !== range.to + 1 || link.prev_hash !== range.head) return undefined
  if (!HASH.test(link.hash)) return undefined
  return { ...range, to: link.seq, head: link.hash, leaves: addLeaf(range.leaves, link.hash, digest) }
}

/** The range with entries whose links are known to be right. */
function addHashes(range: Range, hashes: readonly string[], digest: DigestBytes): Range {
  const odd = hashes.findIndex((hash) => !HASH.test(hash))
  const added = odd === -1 ? hashes : hashes.slice(0, odd)
  const { to, head, leaves } = range
  return { ...range, to: to + added.length, head: added.at(-1) ?? head, leaves: addLeaves(leaves, added, digest) }
}

function headOf({ stream, from, to, head, leaves }: Range, digest: DigestBytes): StreamHead {
  return { stream, from, to, head, root: forestRoot(leaves, digest) }
}
