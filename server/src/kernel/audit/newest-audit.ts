import { z } from 'zod'
import type { AuditEntry } from '../contract/audit.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { AuditReads } from '../ports/reads.ts'

/** The newest entries of a stream, in ascending order. */
export async function newestAudit(audit: AuditReads, stream: string, limit: number): Promise<readonly AuditEntry[]> {
  const head = (await audit.heads()).find((each) => each.stream === stream)
  if (head === undefined || limit < 1) return []
  return audit.entries(stream, Math.max(1, head.seq - limit + 1), limit)
}

/** Where to go on in each stream, from this entry backwards. A stream that is not named has been read to its first entry. */
const Cursor = z.array(z.tuple([z.string(), z.number().int().positive()])).nonempty()
type Positions = readonly (readonly [stream: string, seq: number])[]

export type AuditBackwards = {
  readonly limit: number
  readonly cursor?: string
  /** Begins with this entry instead of the newest one. */
  readonly at?: { readonly stream: string; readonly seq: number }
}
export type AuditPage = { readonly items: readonly AuditEntry[]; readonly next_cursor?: string }

/** The entries of all streams, newest first. Within a stream they are in the order of the chain, whatever their times are. */
export async function auditBackwards(
  audit: AuditReads,
  { limit, cursor, at }: AuditBackwards,
): Promise<Result<AuditPage>> {
  const from = cursor === undefined ? await startOf(audit, at) : positionsIn(cursor)
  if (from === undefined) return refuse('request.bad_cursor')
  const streams = await Promise.all(from.map((position) => readBackwards(audit, position, limit)))
  const items: AuditEntry[] = []
  while (items.length < limit) {
    const newest = streams.reduce<Stream | undefined>((best, one) => (isNewer(one, best) ? one : best), undefined)
    const [entry] = newest?.entries.splice(0, 1) ?? []
    if (entry === undefined) break
    items.push(entry)
  }
  const rest = streams.flatMap((one): Positions => {
    const seq = positionIn(one)
    return seq < 1 ? [] : [[one.stream, seq]]
  })
  return ok({ items, ...(rest.length === 0 ? {} : { next_cursor: JSON.stringify(rest) }) })
}

/** `before`: the entry to go on with when all of these are used. */
type Stream = { readonly stream: string; readonly entries: AuditEntry[]; readonly before: number }

async function readBackwards(audit: AuditReads, [stream, seq]: Positions[number], limit: number): Promise<Stream> {
  const first = Math.max(1, seq - limit + 1)
  const entries = await audit.entries(stream, first, seq - first + 1)
  return { stream, entries: entries.toReversed(), before: first - 1 }
}

/** Of an entry whose own number was changed, only its place among the others is known. */
function positionIn({ entries, before }: Stream): number {
  const place = before + entries.length
  const seq = entries[0]?.seq ?? place
  return Number.isSafeInteger(seq) && seq >= place ? seq : place
}

const isNewer = (one: Stream, best: Stream | undefined): boolean => {
  const [entry] = one.entries
  const [other] = best?.entries ?? []
  return entry !== undefined && (other === undefined || timeOf(entry) > timeOf(other))
}

/** An entry that somebody changed can have anything for its time. */
const timeOf = ({ at }: AuditEntry): number => (typeof at === 'number' ? at : 0)

async function startOf(audit: AuditReads, at: AuditBackwards['at']): Promise<Positions> {
  const heads = await audit.heads()
  if (at === undefined) return heads.map(({ stream, seq }) => [stream, seq])
  const head = heads.find(({ stream }) => stream === at.stream)
  return head === undefined ? [] : [[at.stream, Math.min(at.seq, head.seq)]]
}

function positionsIn(cursor: string): Positions | undefined {
  try {
    const read = Cursor.safeParse(JSON.parse(cursor))
    return read.success ? read.data : undefined
  } catch {
    return undefined
  }
}
