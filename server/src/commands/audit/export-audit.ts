import type { AuditEntry } from '../../contract/audit.ts'
import { checkpointId, signedUpTo } from '../../core/audit/checkpoint.ts'
import { linkOf } from '../../core/audit/link.ts'
import { readCheckpoint } from '../../core/audit/verify-checkpoint.ts'
import { verificationBase } from './accepted-breaks.ts'
import { signedHeads } from './check-continuity.ts'
import { csvHeader, csvRow } from './export-audit-csv.ts'
import type { CheckpointKeys } from '../ports/audit.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { AuditReads, Held, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { ENTRIES_AT_ONCE, letOthersRun, storedCheckpoints } from './verify-audit-reads.ts'

export type ExportAuditDeps = {
  readonly audit: AuditReads
  readonly tables: Pick<Tables, 'list' | 'row'>
  readonly keys: Pick<CheckpointKeys, 'publicKey' | 'isGenuine'>
  readonly clock: Clock
  /** Absent if the store is opened read-only. */
  readonly ledger?: Ledger
}
export type ExportAuditOptions = { readonly format: 'jsonl' | 'csv'; readonly since?: number }

type Heads = Awaited<ReturnType<AuditReads['heads']>>

/** One line of a `jsonl` export. `heads`: the store's heads at the end of the export, so that truncation can be detected. */
type Line =
  | { readonly kind: 'export'; readonly v: 1; readonly at: number; readonly since: number | null }
  | { readonly kind: 'key'; readonly key: string; readonly public_key: string }
  | { readonly kind: 'checkpoint'; readonly checkpoint: unknown }
  | { readonly kind: 'entry'; readonly entry: AuditEntry }
  | { readonly kind: 'link'; readonly stream: string; readonly seq: number; readonly hash: string }
  | { readonly kind: 'end'; readonly entries: number; readonly checkpoints: number; readonly heads: Heads }

/**
 * The audit as lines, without line ends. In `jsonl` the entries that a checkpoint signed precede it, so that
 * `docs/verify-audit.mjs` can check the file in one pass. With `since`, the newest checkpoint before that time comes first, as
 * the signed base, and for older entries that it does not cover only the hash is shown (`link`). After an accepted break its
 * checkpoint is the base, because nothing older verifies; `csv` has all entries. Nothing is repaired: broken data is exported as
 * it is.
 */
export async function* exportAudit(deps: ExportAuditDeps, options: ExportAuditOptions): AsyncGenerator<string> {
  if (options.format === 'csv') yield csvHeader
  for await (const line of exportLines(deps, options)) {
    if (options.format === 'jsonl') yield JSON.stringify(line)
    else if (line.kind === 'entry') yield csvRow(line.entry)
  }
}

/** What was exported so far. */
type Shown = {
  readonly since: number
  readonly upTo: Map<string, number>
  readonly begun: Set<string>
  keys: Set<string>
}

async function* exportLines(deps: ExportAuditDeps, { since, format }: ExportAuditOptions): AsyncGenerator<Line> {
  const counts = { entries: 0, checkpoints: 0 }
  const base = await baseOf(deps, since ?? -Infinity, format)
  yield { kind: 'export', v: 1, at: deps.clock(), since: since ?? (base === undefined ? null : 0) }
  const body = bodyLines(deps, since ?? -Infinity, base)
  let next = await body.next()
  for (; next.done !== true; next = await body.next()) {
    if (next.value.kind === 'entry') counts.entries += 1
    if (next.value.kind === 'checkpoint') counts.checkpoints += 1
    yield next.value
  }
  yield { kind: 'end', ...counts, heads: next.value }
}

/** The newest checkpoint before `since`, or the newest accepted break if that is later. */
async function baseOf(
  deps: ExportAuditDeps,
  since: number,
  format: ExportAuditOptions['format'],
): Promise<Held<'checkpoints'> | undefined> {
  const before = await newestBefore(deps.tables, since)
  const accepted = format === 'csv' ? undefined : await verificationBase(deps, undefined)
  if (accepted?.cursor === undefined || (before?.cursor ?? 0) >= accepted.cursor) return before
  return deps.tables.row('checkpoints', checkpointId(accepted.body.number))
}

async function* bodyLines(
  deps: ExportAuditDeps,
  since: number,
  base: Held<'checkpoints'> | undefined,
): AsyncGenerator<Line, Heads> {
  const shown: Shown = { since, upTo: new Map(), begun: new Set(), keys: new Set() }
  for (const { stream } of base?.row.body.streams ?? []) shown.upTo.set(stream, signedUpTo(base?.row.body, stream))
  if (base !== undefined) yield* checkpointLines(deps, base.row, shown)
  for await (const stored of storedCheckpoints(deps.tables, base?.cursor)) {
    for (const { stream, to } of readCheckpoint(stored)?.body.streams ?? []) yield* entryLines(deps, stream, to, shown)
    yield* checkpointLines(deps, stored, shown)
  }
  const heads = await signedHeads(deps, readCheckpoint(base?.row)?.body)
  // A power failure must not take back an entry that was exported.
  await deps.ledger?.commit([])
  for (const { stream, seq } of heads) yield* entryLines(deps, stream, seq, shown)
  return heads
}

/**
 * Backwards from the newest, because usually only the last days are requested. Without one, the export starts at the first entry.
 */
async function newestBefore(tables: Pick<Tables, 'list'>, since: number): Promise<Held<'checkpoints'> | undefined> {
  if (since === -Infinity) return undefined
  let after: number | undefined
  for (;;) {
    await letOthersRun()
    const page = await tables
      .list('checkpoints', {}, { limit: 64, newest_first: true, ...(after === undefined ? {} : { after }) })
      .catch(() => [])
    const found = page.find(({ row }) => (readCheckpoint(row)?.body.at ?? Infinity) < since)
    after = page.at(-1)?.cursor
    if (found !== undefined || after === undefined) return found
  }
}

function* checkpointLines(deps: ExportAuditDeps, stored: unknown, shown: Shown): Generator<Line> {
  const key = readCheckpoint(stored)?.key
  const public_key = key === undefined ? undefined : deps.keys.publicKey(key)
  if (key !== undefined && public_key !== undefined && !shown.keys.has(key)) {
    shown.keys.add(key)
    yield { kind: 'key', key, public_key }
  }
  yield { kind: 'checkpoint', checkpoint: stored ?? null }
}

/** The entries of one stream that were not exported yet, up to `to`. */
async function* entryLines(deps: ExportAuditDeps, stream: string, to: number, shown: Shown): AsyncGenerator<Line> {
  let from = (shown.upTo.get(stream) ?? 0) + 1
  while (from <= to) {
    await letOthersRun()
    const page = await deps.audit.entries(stream, from, Math.min(ENTRIES_AT_ONCE, to - from + 1))
    // If some are missing, the page extends further: those entries belong after the next checkpoint.
    const due = page.filter((entry) => !((linkOf(entry)?.seq ?? 0) > to))
    for (const entry of due) yield entryLine(entry, shown)
    if (due.length < page.length || page.length === 0) break
    from = Math.max(from + page.length - 1, linkOf(page.at(-1))?.seq ?? 0) + 1
  }
  shown.upTo.set(stream, Math.max(to, shown.upTo.get(stream) ?? 0))
}

function entryLine(entry: AuditEntry, { since, begun }: Shown): Line {
  const link = linkOf(entry)
  if (link !== undefined && !begun.has(link.stream) && entry.at < since)
    return { kind: 'link', stream: link.stream, seq: link.seq, hash: link.hash }
  if (link !== undefined) begun.add(link.stream)
  return { kind: 'entry', entry }
}
