import type { ApprovalRow } from '../../../contract/approval.ts'
import type { Call } from '../../../contract/call.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import { identityOf, rejectionIdentityOf } from '../../../core/gate/identity-of.ts'
import { loopLimit, type Rejection } from '../../../core/gate/judge-repetition.ts'
import type { Held, Tables } from '../../ports/reads.ts'
import type { Judgement } from './load-judgement.ts'

export type HistoryDeps = { readonly tables: Tables; readonly judgement: Judgement }

const PAGE = 50
/** Nobody has this many requests for one and the same call; should it happen, it is not known whether one was denied. */
const MOST_REQUESTS = 5_000

/** The same call of the same caller, before this one was made: how often, and whether a person said no to it. */
export async function historyFact(deps: HistoryDeps, call: Call, tool: Tool): Promise<Facts['history']> {
  const { repetition: limits } = deps.judgement
  try {
    const [earlier, rejections] = await Promise.all([
      countEarlier(deps, call, loopLimit(limits, tool)),
      rejectionsOf(deps, call),
    ])
    return rejections === undefined ? 'unknown' : { rejections, earlier, limits }
  } catch {
    return 'unknown'
  }
}

/** Counts no further than `enough`, and reads no further back than the operator's time. */
async function countEarlier({ tables, judgement }: HistoryDeps, call: Call, enough: number): Promise<number> {
  const { most, within_s } = judgement.repetition
  const since = call.received_at - within_s * 1000
  const isBefore = ({ row }: Held<'calls'>) =>
    row.call_id !== call.call_id && row.received_at > since && row.received_at <= call.received_at
  let count = 0
  let after: number | undefined
  // The first page is enough for every call that is not in a loop.
  for (let limit = most + 1; ; limit = PAGE) {
    const page = { limit, newest_first: true, ...(after === undefined ? {} : { after }) }
    const rows = await tables.list('calls', { identity: identityOf(call) }, page)
    count += rows.filter(isBefore).length
    const last = rows.at(-1)
    const isOver = last === undefined || rows.length < limit || last.row.received_at <= since
    if (isOver || count >= enough) return count
    after = last.cursor
  }
}

/** A no to the same arguments, or to arguments that look the same. Requests of earlier releases are known by the former alone. */
async function rejectionsOf(deps: HistoryDeps, call: Call): Promise<Rejection[] | undefined> {
  const identities = [...new Set([rejectionIdentityOf(call), identityOf(call)])]
  const found = await Promise.all(identities.map((identity) => rejectionsUnder(deps, call, identity)))
  return found.includes(undefined) ? undefined : found.flatMap((some) => some ?? [])
}

/** Every request for this call is looked at: one that was denied may be older than many that waited beside it. */
async function rejectionsUnder(deps: HistoryDeps, call: Call, identity: string): Promise<Rejection[] | undefined> {
  const since = call.received_at - deps.judgement.repetition.denied_for * 1000
  const found: Rejection[] = []
  let after: number | undefined
  for (let seen = 0; seen < MOST_REQUESTS; seen += PAGE) {
    const page = { limit: PAGE, newest_first: true, ...(after === undefined ? {} : { after }) }
    const rows = await deps.tables.list('approvals', { identity }, page)
    for (const { row } of rows) found.push(...(await noesIn(row, deps.judgement, since, call.received_at)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return found
    after = last.cursor
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
      until: new Date(at + lasts).toISOString(),
      ...(reason === undefined ? {} : { reason: plain(await judgement.scanner.redact(reason, 'shown')) }),
    })),
  )
}

/** On one line, so that the words of one person cannot look like other lines of an answer. */
const plain = (text: string) => text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
