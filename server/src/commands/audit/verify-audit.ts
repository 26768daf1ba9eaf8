import type { AuditFinding, AuditReport, Checkpoint, CheckpointBody } from '../../contract/audit.ts'
import { checkpointHash } from '../../core/audit/checkpoint.ts'
import { endOf, nextEntry, startOf, type Claim, type Digests, type Progress } from '../../core/audit/verify.ts'
import {
  checkpointFinding,
  claimOf,
  closeRange,
  isSigned,
  nextCheckpoint,
  readCheckpoint,
} from '../../core/audit/verify-checkpoint.ts'
import type { AuditReads, CheckpointKeys, Shelves } from '../ports.ts'
import { ENTRIES_AT_ONCE, entryReader, storedCheckpoints, type LookAhead } from './verify-audit-reads.ts'

export type VerifyAuditDeps = Digests & {
  readonly audit: AuditReads
  readonly shelves: Pick<Shelves, 'list'>
  readonly keys: Pick<CheckpointKeys, 'isGenuine'>
}
export type VerifyAuditOptions = {
  /** Checkpoints that were shipped elsewhere earlier: they catch who cut off entries and checkpoints together. */
  readonly against?: readonly Checkpoint[]
  readonly onProgress?: (done: { readonly entries: number; readonly checkpoints: number }) => void
}

/** `claims` in falling order: the next one to be met is the last. */
type Walker = { progress: Progress; readonly claims: Claim[]; readonly look: LookAhead }
type Walk = {
  readonly deps: VerifyAuditDeps
  /** By number. */
  readonly shipped: Map<number, Checkpoint>
  readonly onProgress: NonNullable<VerifyAuditOptions['onProgress']>
  readonly walkers: Map<string, Walker>
  page: number
  entries: number
  newest?: CheckpointBody
}

/** Entries held at a time, over all streams: memory does not grow with the audit. */
const HELD_ENTRIES = 8192
const PROGRESS_EVERY = 1000

/**
 * Recompute the whole audit: each checkpoint in turn, each time with the entries it signed, then what is not signed yet,
 * then what the store itself believes. Stops at the first finding. Entries may be added meanwhile.
 */
export async function verifyAudit(deps: VerifyAuditDeps, options: VerifyAuditOptions = {}): Promise<AuditReport> {
  const onProgress = options.onProgress ?? (() => undefined)
  const walk: Walk = { deps, shipped: new Map(), onProgress, walkers: new Map(), page: 2, entries: 0 }
  const first =
    (await expectClaims(walk, options.against ?? [])) ?? (await walkCheckpoints(walk)) ?? (await walkTails(walk))
  onProgress({ entries: walk.entries, checkpoints: walk.newest?.number ?? 0 })
  return {
    ok: first === undefined,
    entries: walk.entries,
    checkpoints: walk.newest?.number ?? 0,
    streams: [...walk.walkers.values()].map(({ progress: { stream, seq, hash } }) => ({ stream, seq, head: hash })),
    unsigned: Math.max(0, walk.entries - (walk.newest?.count ?? 0)),
    ...(first === undefined ? {} : { first }),
  }
}

/** Everything that is known beforehand about single entries: the store's heads, and the shipped checkpoints. */
async function expectClaims(walk: Walk, against: readonly unknown[]): Promise<AuditFinding | undefined> {
  const heads = await readHeads(walk)
  if ('what' in heads) return heads
  walk.page = Math.min(ENTRIES_AT_ONCE, Math.max(16, Math.floor(HELD_ENTRIES / (heads.size + 1))))
  for (const [stream, claim] of heads) walkerOf(walk, stream).claims.push(claim)
  for (const offered of against) {
    const finding = expectShipped(walk, readCheckpoint(offered))
    if (finding !== undefined) return finding
  }
  for (const { claims } of walk.walkers.values()) claims.sort((a, b) => b.seq - a.seq)
  return undefined
}

function expectShipped(walk: Walk, shipped: Checkpoint | undefined): AuditFinding | undefined {
  if (shipped === undefined) return checkpointFinding('unreadable', 0, 'a shipped checkpoint cannot be read')
  const { number, streams } = shipped.body
  const by = `the shipped checkpoint ${number}`
  if (!isSigned(shipped, walk.deps.keys))
    return checkpointFinding('checkpoint_forged', number, `${by} is not signed by a key of this gate`)
  walk.shipped.set(number, shipped)
  for (const head of streams) walkerOf(walk, head.stream).claims.push(claimOf(head, by))
  return undefined
}

async function readHeads({ deps }: Walk): Promise<ReadonlyMap<string, Claim> | AuditFinding> {
  const claims = new Map<string, Claim>()
  try {
    for (const { stream, seq, hash } of await deps.audit.heads()) {
      if (!Number.isInteger(seq)) return unreadableHeads(stream)
      if (seq > 0) claims.set(stream, { seq, hash, by: "the store's own head", signed: false })
    }
    return claims
  } catch {
    return unreadableHeads('')
  }
}

const unreadableHeads = (stream: string): AuditFinding => ({
  what: 'unreadable',
  stream,
  seq: 0,
  says: "the store's own head cannot be read",
})

function walkerOf(walk: Walk, stream: string): Walker {
  const known = walk.walkers.get(stream)
  if (known !== undefined) return known
  const walker = { progress: startOf(stream), claims: [], look: entryReader(walk.deps.audit, stream, walk.page) }
  walk.walkers.set(stream, walker)
  return walker
}

async function walkCheckpoints(walk: Walk): Promise<AuditFinding | undefined> {
  let differing: AuditFinding | undefined
  for await (const stored of storedCheckpoints(walk.deps.shelves)) {
    const judged = nextCheckpoint(walk.newest, stored, walk.deps.keys, walk.deps.digest)
    if ('finding' in judged) return judged.finding
    const finding = await walkRanges(walk, judged.next.body)
    if (finding !== undefined) return finding
    walk.newest = judged.next.body
    differing ??= differsFromShipped(walk, judged.next.body)
  }
  // A fault of the entries says more than a fault of the checkpoints over them: those still to come are read first.
  return (await walkClaims(walk)) ?? differing ?? missesShipped(walk)
}

async function walkRanges(walk: Walk, body: CheckpointBody): Promise<AuditFinding | undefined> {
  for (const head of body.streams) {
    const walker = walkerOf(walk, head.stream)
    const finding = await advance(walk, walker, claimOf(head, `checkpoint ${body.number}`))
    if (finding !== undefined) return finding
    const closed = closeRange(walker.progress, head, body.number, walk.deps)
    if ('finding' in closed) return closed.finding
    walker.progress = closed.next
  }
  return undefined
}

/** Up to the last entry that anything is known about. */
async function walkClaims(walk: Walk): Promise<AuditFinding | undefined> {
  for (const walker of walk.walkers.values()) {
    const last = walker.claims[0]
    const finding = last === undefined ? undefined : await advance(walk, walker, last)
    if (finding !== undefined) return finding
  }
  return undefined
}

async function advance(walk: Walk, walker: Walker, target: Claim): Promise<AuditFinding | undefined> {
  while (walker.progress.seq < target.seq) {
    const seq = walker.progress.seq + 1
    const rows = await walker.look(seq)
    const claims = target.seq === seq ? [target] : []
    while (walker.claims.at(-1)?.seq === seq) claims.push(...walker.claims.splice(-1))
    if (rows.length === 0) return endOf(walker.progress, [...claims, target])
    const step = nextEntry(walker.progress, { stored: rows[0], following: rows[1], claims }, walk.deps)
    if ('finding' in step) return step.finding
    walker.progress = step.next
    walk.entries += 1
    if (walk.entries % PROGRESS_EVERY === 0)
      walk.onProgress({ entries: walk.entries, checkpoints: walk.newest?.number ?? 0 })
  }
  return undefined
}

function differsFromShipped(walk: Walk, body: CheckpointBody): AuditFinding | undefined {
  const shipped = walk.shipped.get(body.number)
  if (shipped === undefined) return undefined
  const { digest } = walk.deps
  return checkpointHash(shipped.body, digest) === checkpointHash(body, digest)
    ? undefined
    : checkpointFinding('checkpoint_mismatch', body.number, `checkpoint ${body.number} is not the one that was shipped`)
}

function missesShipped(walk: Walk): AuditFinding | undefined {
  const stored = walk.newest?.number ?? 0
  const shipped = Math.max(0, ...walk.shipped.keys())
  return shipped > stored
    ? checkpointFinding(
        'checkpoint_missing',
        stored + 1,
        `checkpoint ${shipped} was shipped, but the newest one is ${stored}`,
      )
    : undefined
}

/** The heads again, as they are after everything above was read: what stands behind them was not put there by the store. */
async function walkTails(walk: Walk): Promise<AuditFinding | undefined> {
  const heads = await readHeads(walk)
  if ('what' in heads) return heads
  for (const [stream, claim] of heads) {
    const finding = await advance(walk, walkerOf(walk, stream), claim)
    if (finding !== undefined) return finding
  }
  for (const [stream, walker] of walk.walkers) {
    const { seq } = walker.progress
    const head = heads.get(stream)?.seq ?? 0
    const surplus = seq > head || (await walker.look(seq + 1)).length > 0
    if (surplus && !(await hasHeadAfter(walk, stream, seq))) return afterHead(stream, head)
  }
  return undefined
}

async function hasHeadAfter(walk: Walk, stream: string, seq: number): Promise<boolean> {
  const heads = await readHeads(walk)
  return !('what' in heads) && (heads.get(stream)?.seq ?? 0) > seq
}

function afterHead(stream: string, head: number): AuditFinding {
  const says = `entry ${head + 1} stands after the store's own head, ${head}: it was inserted, or the head was set back`
  return { what: 'reordered', stream, seq: head + 1, says }
}
