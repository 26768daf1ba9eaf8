import type { AcceptedBreak, AuditFinding, AuditReport, Checkpoint, CheckpointBody } from '../contract/audit.ts'
import { checkpointHash } from './checkpoint.ts'
import { endOf, nextEntry, startOf, type Claim, type Digests, type VerifyProgress } from './verify.ts'
import {
  checkpointFinding,
  claimOf,
  closeRange,
  isSigned,
  nextCheckpoint,
  readCheckpoint,
} from './verify-checkpoint.ts'
import type { CheckpointKeys, CheckpointFile, OwnTail } from '../ports/audit.ts'
import type { AuditReads, Tables } from '../ports/reads.ts'
import { verificationBase } from './accepted-breaks.ts'
import { ENTRIES_AT_ONCE, entryReader, storedCheckpoints, type LookAhead } from './verify-audit-reads.ts'

export type VerifyAuditPorts = Digests & {
  readonly audit: AuditReads
  readonly tables: Pick<Tables, 'list' | 'row'>
  readonly keys: Pick<CheckpointKeys, 'isGenuine'>
}
export type VerifyAuditOptions = {
  /** Checkpoints that were shipped elsewhere earlier: they detect if entries and checkpoints were cut off together. */
  readonly against?: readonly Checkpoint[]
  /** What is stored with the keys, or known to the running gate. */
  readonly checkpointFile?: ReturnType<CheckpointFile['state']>
  readonly tail?: OwnTail
  readonly onProgress?: (done: { readonly entries: number; readonly checkpoints: number }) => void
}

/** `claims` in descending order: the next one to check is the last. */
type Walker = { progress: VerifyProgress; readonly claims: Claim[]; readonly look: LookAhead }
type Walk = {
  readonly deps: VerifyAuditPorts
  readonly shipped: Shipped[]
  readonly leftOut: ReadonlySet<string>
  readonly breaks: readonly AcceptedBreak[]
  readonly onProgress: NonNullable<VerifyAuditOptions['onProgress']>
  readonly walkers: Map<string, Walker>
  page: number
  entries: number
  newest?: CheckpointBody
}

/** A checkpoint from elsewhere, and its name in messages. */
type Shipped = { readonly checkpoint: Checkpoint; readonly by: string }

/** Entries held at a time, over all streams: memory does not grow with the audit. */
const HELD_ENTRIES = 8192
const PROGRESS_EVERY = 1000

/**
 * Verifies the whole audit: each checkpoint in turn with the entries it signed, then unsigned entries, then the store's own
 * heads. It starts at the first entry, or where an admin accepted a break. Stops at the first finding. Entries may be added in
 * the meantime.
 */
export async function verifyAudit(deps: VerifyAuditPorts, options: VerifyAuditOptions = {}): Promise<AuditReport> {
  const onProgress = options.onProgress ?? (() => undefined)
  const base = await verificationBase(deps, options.checkpointFile?.newest)
  const breaks = base?.breaks ?? []
  const leftOut = new Set(base?.body.break?.left_out)
  const walk: Walk = { deps, shipped: [], onProgress, walkers: new Map(), page: 2, entries: 0, leftOut, breaks }
  if (base !== undefined) startAt(walk, base.body)
  const first =
    base?.finding ??
    (await expectClaims(walk, options)) ??
    (await walkCheckpoints(walk, base?.cursor)) ??
    (await walkTails(walk)) ??
    checkpointFileFinding(walk, options.checkpointFile)
  onProgress({ entries: walk.entries, checkpoints: walk.newest?.number ?? 0 })
  const walked = [...walk.walkers.values()].map(({ progress: { stream, seq, hash } }) => ({ stream, seq, head: hash }))
  const total = walked.reduce((sum, { seq }) => sum + seq, 0)
  return {
    ok: first === undefined,
    entries: walk.entries,
    checkpoints: walk.newest?.number ?? 0,
    streams: walked,
    unsigned: Math.max(0, total - (walk.newest?.count ?? 0)),
    ...(breaks.length === 0 ? {} : { breaks }),
    ...(first === undefined ? {} : { first }),
  }
}

function startAt(walk: Walk, body: CheckpointBody): void {
  for (const { stream, to, head } of body.streams) walkerOf(walk, stream, { seq: to, hash: head })
  walk.newest = body
}

/**
 * What the ledger alone cannot tell: that the checkpoint stored with the keys is missing, or what a running gate found earlier.
 */
function checkpointFileFinding(
  { newest }: Walk,
  checkpointFile: VerifyAuditOptions['checkpointFile'],
): AuditFinding | undefined {
  if (checkpointFile?.broken !== undefined) {
    const { stream, seq, says } = checkpointFile.broken
    return { what: 'edited', stream, seq, says: `the gate found earlier: ${says}` }
  }
  const isLost = checkpointFile?.missing === true && newest?.since_break !== undefined
  const says = 'the checkpoint stored with the keys is missing'
  return isLost ? checkpointFinding('checkpoint_missing', newest.number, says) : undefined
}

/** Everything that is known beforehand about single entries: the store's heads, and the shipped checkpoints. */
async function expectClaims(walk: Walk, options: VerifyAuditOptions): Promise<AuditFinding | undefined> {
  const heads = await readHeads(walk)
  if ('what' in heads) return heads
  walk.page = Math.min(ENTRIES_AT_ONCE, Math.max(16, Math.floor(HELD_ENTRIES / (heads.size + 1))))
  for (const [stream, claim] of heads) walkerOf(walk, stream).claims.push(claim)
  const own = options.tail?.ownTail()
  if (own !== undefined) {
    const claim = { seq: own.seq, hash: own.hash, by: 'this gate', signed: false }
    walkerOf(walk, own.stream).claims.push(claim)
  }
  const saved = options.checkpointFile?.newest
  if (saved !== undefined) {
    const finding = expectShipped(walk, saved, 'the checkpoint stored with the keys')
    if (finding !== undefined) return finding
  }
  for (const offered of options.against ?? []) {
    const finding = expectShipped(walk, readCheckpoint(offered), 'the exported checkpoint')
    if (finding !== undefined) return finding
  }
  for (const { claims } of walk.walkers.values()) claims.sort((a, b) => b.seq - a.seq)
  return undefined
}

function expectShipped(walk: Walk, shipped: Checkpoint | undefined, name: string): AuditFinding | undefined {
  if (shipped === undefined) return checkpointFinding('unreadable', 0, 'an exported checkpoint cannot be read')
  const { number, streams } = shipped.body
  const by = `${name}, number ${number},`
  if (!isSigned(shipped, walk.deps.keys))
    return checkpointFinding('checkpoint_forged', number, `${by} is not signed by a key of this gate`)
  // Anything before an accepted break is not compared any more.
  if (number < (walk.newest?.number ?? 0)) return undefined
  walk.shipped.push({ checkpoint: shipped, by })
  for (const head of streams) walkerOf(walk, head.stream).claims.push(claimOf(head, by))
  return undefined
}

async function readHeads({ deps, leftOut }: Walk): Promise<ReadonlyMap<string, Claim> | AuditFinding> {
  const claims = new Map<string, Claim>()
  try {
    for (const { stream, seq, hash } of await deps.audit.heads()) {
      if (leftOut.has(stream)) continue
      if (!Number.isInteger(seq)) return unreadableHeads(stream)
      if (seq > 0) claims.set(stream, { seq, hash, by: "the store's recorded head", signed: false })
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
  says: "the store's recorded head cannot be read",
})

function walkerOf(walk: Walk, stream: string, after?: { readonly seq: number; readonly hash: string }): Walker {
  const known = walk.walkers.get(stream)
  if (known !== undefined) return known
  const walker = { progress: startOf(stream, after), claims: [], look: entryReader(walk.deps.audit, stream, walk.page) }
  walk.walkers.set(stream, walker)
  return walker
}

async function walkCheckpoints(walk: Walk, after: number | undefined): Promise<AuditFinding | undefined> {
  let differing = walk.newest === undefined ? undefined : differsFromShipped(walk, walk.newest)
  for await (const stored of storedCheckpoints(walk.deps.tables, after)) {
    const judged = nextCheckpoint(walk.newest, stored, walk.deps.keys, walk.deps.digest)
    if ('finding' in judged) return judged.finding
    const finding = await walkRanges(walk, judged.next.body)
    if (finding !== undefined) return finding
    walk.newest = judged.next.body
    differing ??= differsFromShipped(walk, judged.next.body)
  }
  // A fault in the entries says more than one in the checkpoints over them, so the remaining entries are read first.
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

/** Up to the last entry that has a claim. */
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
  const { digest } = walk.deps
  const differing = walk.shipped.find(
    ({ checkpoint }) =>
      checkpoint.body.number === body.number &&
      checkpointHash(checkpoint.body, digest) !== checkpointHash(body, digest),
  )
  if (differing === undefined) return undefined
  const says = `checkpoint ${body.number} differs from ${differing.by} of the same number`
  return checkpointFinding('checkpoint_mismatch', body.number, says)
}

function missesShipped({ newest, shipped }: Walk): AuditFinding | undefined {
  const stored = newest?.number ?? 0
  const missing = shipped.find(({ checkpoint }) => checkpoint.body.number > stored)
  if (missing === undefined) return undefined
  const says = `${missing.by} is missing: the newest one is ${stored}`
  return checkpointFinding('checkpoint_missing', stored + 1, says)
}

/** Reads the heads again after everything above: entries after them were not written by the store. */
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
  const says = `entry ${head + 1} follows the store's recorded head, ${head}: it was inserted, or the head was set back`
  return { what: 'reordered', stream, seq: head + 1, says }
}
