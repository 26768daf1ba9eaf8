import { isoTime } from '../../text/iso-time.ts'
import type { ApprovalRow } from '../../contract/approval.ts'
import type { Call } from '../../contract/call.ts'
import type { Repetition } from '../../contract/budgets.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Facts, Rejection } from '../facts.ts'
import { identityOf, rejectionIdentityOf } from '../../attempt/call-changes.ts'
import { loopLimit } from '../judge-repetition.ts'
import type { Stored, Tables } from '../../ports/reads.ts'
import type { MaybePromise } from '../../ports/runtime.ts'
import { withResults } from '../../ports/maybe-promise.ts'
import type { Judgement } from '../judging.ts'

type HistoryPorts = { readonly tables: Tables; readonly judgement: Judgement }

const PAGE = 50
/** More requests than this for the same call do not occur in practice; beyond it, it is unknown whether one was denied. */
const MOST_REQUESTS = 5_000

/** The same call of the same caller, before this one was made: how often, and whether a person rejected it. */
export function historyFact(deps: HistoryPorts, call: Call, tool: Tool): MaybePromise<Facts['history']> {
  const { repetition: limits } = deps.judgement
  const identity = identityOf(call)
  try {
    const earlier = countEarlier(deps, call, identity, loopLimit(limits, tool))
    const rejections = rejectionsOf(deps, call, identity)
    if (!(earlier instanceof Promise) && !(rejections instanceof Promise)) return historyOf(earlier, rejections, limits)
    return Promise.all([earlier, rejections]).then(
      ([count, noes]) => historyOf(count, noes, limits),
      (): 'unknown' => 'unknown',
    )
  } catch {
    return 'unknown'
  }
}

const historyOf = (earlier: number, rejections: Found, limits: Repetition): Facts['history'] =>
  rejections === undefined ? 'unknown' : { rejections, earlier, limits }

/** Counts no further than `enough`, and reads no further back than the operator's time window. */
function countEarlier(deps: HistoryPorts, call: Call, identity: string, enough: number): MaybePromise<number> {
  const where = { identity }
  if (deps.tables.known_rows?.isAbsent('calls', where) === true) return 0
  // The first page is enough for every call that is not in a loop.
  const limit = deps.judgement.repetition.most + 1
  return deps.tables
    .list('calls', where, { limit, newest_first: true })
    .then((rows) => (rows.length === 0 ? 0 : countOn(deps, call, enough, { rows, limit })))
}

type Read = { readonly rows: readonly Stored<'calls'>[]; readonly limit: number }

async function countOn({ tables, judgement }: HistoryPorts, call: Call, enough: number, first: Read): Promise<number> {
  const { within_s } = judgement.repetition
  const since = call.received_at - within_s * 1000
  const isBefore = ({ row }: Stored<'calls'>) =>
    row.call_id !== call.call_id && row.received_at > since && row.received_at <= call.received_at
  let count = 0
  for (let { rows, limit } = first; ; limit = PAGE) {
    count += rows.filter(isBefore).length
    const last = rows.at(-1)
    const isOver = last === undefined || rows.length < limit || last.row.received_at <= since
    if (isOver || count >= enough) return count
    const page = { limit: PAGE, newest_first: true, after: last.cursor }
    rows = await tables.list('calls', { identity: identityOf(call) }, page)
  }
}

/**
 * A rejection of the same arguments, or of arguments that look the same. Requests of earlier releases are found only by the
 * former.
 */
function rejectionsOf(deps: HistoryPorts, call: Call, exactly: string): MaybePromise<readonly Rejection[] | undefined> {
  const alike = call.folded_hash === undefined ? exactly : rejectionIdentityOf(call)
  const one = rejectionsUnder(deps, call, alike)
  return alike === exactly ? one : withResults([one, rejectionsUnder(deps, call, exactly)], together)
}

const together = ([some, others]: readonly [Found, Found]): Found =>
  some === undefined || others === undefined ? undefined : [...some, ...others]

/** Undefined when it is not known. */
type Found = readonly Rejection[] | undefined
const NONE: Found = []

/** Every request for this call is checked: a denied one may be older than many others. */
function rejectionsUnder(deps: HistoryPorts, call: Call, identity: string): MaybePromise<Found> {
  const where = { identity }
  if (deps.tables.known_rows?.isAbsent('approvals', where) === true) return NONE
  return deps.tables
    .list('approvals', where, { limit: PAGE, newest_first: true })
    .then((rows) => (rows.length === 0 ? NONE : lookOn(deps, call, identity, rows)))
}

async function lookOn(
  deps: HistoryPorts,
  call: Call,
  identity: string,
  first: readonly Stored<'approvals'>[],
): Promise<Found> {
  const since = call.received_at - deps.judgement.repetition.denied_for * 1000
  const found: Rejection[] = []
  let rows = first
  for (let seen = 0; seen < MOST_REQUESTS; seen += PAGE) {
    for (const { row } of rows) found.push(...(await noesIn(row, deps.judgement, since, call.received_at)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return found
    rows = await deps.tables.list('approvals', { identity }, { limit: PAGE, newest_first: true, after: last.cursor })
  }
  return undefined
}

async function noesIn(row: ApprovalRow, judgement: Judgement, after: number, through: number): Promise<Rejection[]> {
  if (row.state !== 'denied') return []
  const lasts = judgement.repetition.denied_for * 1000
  const noes = row.decisions.filter(({ says, at }) => says === 'deny' && at > after && at <= through)
  return Promise.all(
    noes.map(async ({ by, at, reason }) => ({
      approval_id: row.approval_id,
      by,
      until: isoTime(at + lasts),
      ...(reason === undefined ? {} : { reason: plain(await judgement.scanner.redact(reason, 'shown')) }),
    })),
  )
}

/** On one line, so that a person's text cannot look like other lines of an answer. */
const plain = (text: string) => text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
