import type { AuditEntry } from '../contract/audit.ts'
import { GENESIS } from '../contract/genesis.ts'
import { ok, type Result } from '../contract/problems.ts'
import { checkpointId, signedUpTo } from './checkpoint.ts'
import { linkOf } from './link.ts'
import { readCheckpoint } from './verify-checkpoint.ts'
import { printCanonical } from '../json/print-canonical.ts'
import { verificationBase } from './accepted-breaks.ts'
import { signedHeads } from './check-continuity.ts'
import type { CheckpointKeys } from '../ports/audit.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import { ENTRIES_AT_ONCE, letOthersRun, storedCheckpoints } from './verify-audit-reads.ts'
import { presentCheckpoint, type WriteCheckpointPorts } from './write-checkpoint.ts'
import { isoTime } from '../text/iso-time.ts'

export type ExportAuditPorts = WriteCheckpointPorts & { readonly keys: Pick<CheckpointKeys, 'publicKey'> }
export type ExportAuditOptions = { readonly format: 'jsonl' | 'csv'; readonly since?: number }

/** One line of a `jsonl` export. */
type Line =
  | { readonly kind: 'export'; readonly v: 2; readonly at: number; readonly since: number | null }
  | { readonly kind: 'key'; readonly key: string; readonly public_key: string }
  | { readonly kind: 'checkpoint'; readonly checkpoint: unknown }
  | { readonly kind: 'entry'; readonly entry: AuditEntry }
  | { readonly kind: 'link'; readonly stream: string; readonly seq: number; readonly hash: string }

/**
 * The audit as lines, without line ends. `jsonl` is what `docs/verify-audit.mjs` checks, in one pass: the entries that a
 * checkpoint signed precede it, a checkpoint that is written first signs the newest ones, and the signed last line covers each
 * byte before it. With `since`, the newest checkpoint before that time comes first, as the signed base, and for older entries that
 * it does not cover only the hash is shown (`link`). After an accepted break its checkpoint is the base, because nothing older
 * verifies; `csv` has all entries. Nothing is repaired: a broken audit is exported as it is, and its end is not signed.
 */
export async function* exportAudit(deps: ExportAuditPorts, options: ExportAuditOptions): AsyncGenerator<string> {
  const since = options.since ?? -Infinity
  yield* options.format === 'jsonl' ? signedLines(deps, since) : csvLines(deps, since)
}

async function* csvLines(deps: ExportAuditPorts, since: number): AsyncGenerator<string> {
  yield csvHeader
  const base = await newestBefore(deps.tables, since)
  for await (const line of bodyLines(deps, since, base, undefined)) if (line.kind === 'entry') yield csvRow(line.entry)
}

/** What was exported so far. */
type Shown = {
  readonly since: number
  readonly upTo: Map<string, number>
  readonly begun: Set<string>
  keys: Set<string>
}

async function* signedLines(deps: ExportAuditPorts, since: number): AsyncGenerator<string> {
  const counts = { entries: 0, checkpoints: 0 }
  const base = await baseOf(deps, since)
  const last = await lastSigned(deps)
  let digest = GENESIS
  const linked = (line: Line): string => {
    const text = lineText(line)
    digest = exportLink(digest, text, deps.digest)
    return text
  }
  const from = since === -Infinity ? null : since
  yield linked({ kind: 'export', v: 2, at: deps.clock(), since: from ?? (base === undefined ? null : 0) })
  const body = bodyLines(deps, since, base, last.ok ? last.value : undefined)
  let next = await body.next()
  for (; next.done !== true; next = await body.next()) {
    if (next.value.kind === 'entry') counts.entries += 1
    if (next.value.kind === 'checkpoint') counts.checkpoints += 1
    yield linked(next.value)
  }
  const end = { kind: 'end' as const, ...counts, heads: next.value, digest }
  yield printCanonical({ ...end, ...(last.ok ? deps.keys.sign(exportEndText(end)) : { unsigned: last.problem.code }) })
}

/** Whatever is stored becomes a line; a value without a canonical form was not written by us, which a verifier detects. */
function lineText(line: Line): string {
  try {
    return printCanonical(line)
  } catch {
    return JSON.stringify(line)
  }
}

/** Where an export ends: at a checkpoint, 0 if there is nothing to sign. */
type End = { readonly number: number; readonly heads: readonly ExportHead[] }

async function lastSigned(deps: ExportAuditPorts): Promise<Result<End>> {
  const present = await presentCheckpoint(deps)
  if (!present.ok) return present
  const { number, streams } = present.value?.body ?? { number: 0, streams: [] }
  return ok({ number, heads: streams.map(({ stream, to, head }) => ({ stream, seq: to, hash: head })) })
}

/** The newest checkpoint before `since`, or the newest accepted break if that is later. */
async function baseOf(deps: ExportAuditPorts, since: number): Promise<Stored<'checkpoints'> | undefined> {
  const before = await newestBefore(deps.tables, since)
  const accepted = await verificationBase(deps, undefined)
  if (accepted?.cursor === undefined || (before?.cursor ?? 0) >= accepted.cursor) return before
  return deps.tables.row('checkpoints', checkpointId(accepted.body.number))
}

/** Up to `last`, or up to the newest entries if nothing signs them. */
async function* bodyLines(
  deps: ExportAuditPorts,
  since: number,
  base: Stored<'checkpoints'> | undefined,
  last: End | undefined,
): AsyncGenerator<Line, readonly ExportHead[]> {
  const shown: Shown = { since, upTo: new Map(), begun: new Set(), keys: new Set() }
  for (const { stream } of base?.row.body.streams ?? []) shown.upTo.set(stream, signedUpTo(base?.row.body, stream))
  if (base !== undefined) yield* checkpointLines(deps, base.row, shown)
  for await (const stored of checkpointsAfter(deps, base, last?.number ?? Infinity)) {
    for (const { stream, to } of readCheckpoint(stored)?.body.streams ?? []) yield* entryLines(deps, stream, to, shown)
    yield* checkpointLines(deps, stored, shown)
  }
  if (last !== undefined) return last.heads
  const heads = await signedHeads(deps, readCheckpoint(base?.row)?.body)
  // A power failure must not take back an entry that was exported.
  await deps.ledger.commit([])
  for (const { stream, seq } of heads) yield* entryLines(deps, stream, seq, shown)
  return heads.map(({ stream, seq, hash }) => ({ stream, seq, hash }))
}

/** Those that follow `base`, up to this number. */
async function* checkpointsAfter(
  { tables }: Pick<ExportAuditPorts, 'tables'>,
  base: Stored<'checkpoints'> | undefined,
  upTo: number,
): AsyncGenerator {
  if ((base?.row.body.number ?? 0) >= upTo) return
  for await (const stored of storedCheckpoints(tables, base?.cursor)) {
    yield stored
    if ((readCheckpoint(stored)?.body.number ?? 0) >= upTo) return
  }
}

/**
 * Backwards from the newest, because usually only the last days are requested. Without one, the export starts at the first entry.
 */
async function newestBefore(tables: Pick<Tables, 'list'>, since: number): Promise<Stored<'checkpoints'> | undefined> {
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

function* checkpointLines(deps: ExportAuditPorts, stored: unknown, shown: Shown): Generator<Line> {
  const key = readCheckpoint(stored)?.key
  const public_key = key === undefined ? undefined : deps.keys.publicKey(key)
  if (key !== undefined && public_key !== undefined && !shown.keys.has(key)) {
    shown.keys.add(key)
    yield { kind: 'key', key, public_key }
  }
  yield { kind: 'checkpoint', checkpoint: stored ?? null }
}

/** The entries of one stream that were not exported yet, up to `to`. */
async function* entryLines(deps: ExportAuditPorts, stream: string, to: number, shown: Shown): AsyncGenerator<Line> {
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

type ExportHead = { readonly stream: string; readonly seq: number; readonly hash: string }

/** The last line of an export, without its signature. `digest` covers all lines before it. */
export type ExportEnd = {
  readonly kind: 'end'
  readonly entries: number
  readonly checkpoints: number
  readonly heads: readonly ExportHead[]
  readonly digest: string
}

/** Prefix of everything that is signed, so that no other text of ours can be mistaken for the end of an export. */
const EXPORT_DOMAIN = 'sluice.export.v2\n'

export const exportEndText = (end: ExportEnd): string => `${EXPORT_DOMAIN}${printCanonical(end)}`

/** The digest of all lines up to this one: of the digest before it, which is the genesis hash at first, and its text. */
export const exportLink = (before: string, line: string, digest: (text: string) => string): string =>
  digest(`${before}\n${line}`)

/** The latest time that can be written. */
const LATEST_MS = 8_640_000_000_000_000

type Cell = string | number | undefined

const COLUMNS: Readonly<Record<string, (entry: Partial<AuditEntry>) => Cell>> = {
  stream: ({ stream }) => stream,
  seq: ({ seq }) => seq,
  at: ({ at }) => at,
  time: ({ at }) => (at !== undefined && Math.abs(at) <= LATEST_MS ? isoTime(at) : undefined),
  type: ({ type }) => type,
  actor: ({ actor }) => actor,
  trace: ({ trace }) => trace,
  subject: ({ subject }) => JSON.stringify(subject),
  args_hash: ({ args_hash }) => args_hash,
  effect: ({ verdict }) => verdict?.effect,
  rules: ({ verdict }) => verdict?.evidence?.map(({ rule }) => rule).join(' '),
  outcome: ({ outcome }) => outcome,
  about: ({ about }) => JSON.stringify(about),
  prev_hash: ({ prev_hash }) => prev_hash,
  hash: ({ hash }) => hash,
}

export const csvHeader = Object.keys(COLUMNS).join(',')

/** One entry in RFC 4180 format. */
export function csvRow(entry: Partial<AuditEntry>): string {
  return Object.values(COLUMNS)
    .map((column) => csvCell(column(entry)))
    .join(',')
}

/**
 * INVARIANT: no cell is ever a formula. Spreadsheets evaluate cells that start with an operator, quoted or not, some also in its
 * full-width form or after white space and control characters; a leading apostrophe makes them text.
 */
const MAY_BE_FORMULA = /^[\s\p{C}=+\-@|%＝＋－＠]/u

function csvCell(value: Cell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = MAY_BE_FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}
