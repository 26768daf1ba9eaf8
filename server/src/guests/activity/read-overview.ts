import type { OverviewAnswer } from '../../kernel/contract/activity.ts'
import { DECIDING_KINDS, type Caller } from '../../kernel/contract/caller.ts'
import { overviewOf, type Answered, type SeenCall } from '../../kernel/approvals/overview.ts'
import { estimateTokens } from '../../kernel/text/estimate-tokens.ts'
import { maySeeApproval } from '../../kernel/approvals/read-approvals.ts'
import { maySeeCall, searchFor } from '../../kernel/attempt/read-call.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'
import type { Searches, SearchTable, SearchWhere, Stored } from '../../kernel/ports/reads.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import { newestRows } from './newest-rows.ts'

export type OverviewPorts = {
  readonly searches: Searches
  readonly catalogue: Pick<Catalogue, 'tools'>
  readonly clock: Clock
  readonly after: (ms: number, callback: () => void) => () => void
}

/** With more calls the statistics begin later, and say so: an overview never reads the whole history. */
const MOST_CALLS = 20_000
const MOST_REQUESTS = 2_000
const KEPT_MS = 10_000
const MOST_KEPT = 32
/** What a model reads to search, open a card and call, besides the search results. */
const SEARCH_TOKENS = 750

/** Statistics of the last hours. Cached for a moment, because many pages may be open. */
export function openOverview(deps: OverviewPorts): (caller: Caller, window_ms: number) => Promise<OverviewAnswer> {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<OverviewAnswer> }>()
  return (caller, window_ms) => {
    const now = deps.clock()
    const key = JSON.stringify([
      DECIDING_KINDS.includes(caller.kind) ? '' : [caller.kind, caller.user, caller.grant],
      window_ms,
    ])
    const known = kept.get(key)
    if (known !== undefined && now - known.at < KEPT_MS) return known.answer
    const answer = read(deps, caller, now, window_ms)
    answer.catch(() => kept.delete(key))
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(key, { at: now, answer })
    return answer
  }
}

async function read(deps: OverviewPorts, caller: Caller, to: number, window_ms: number): Promise<OverviewAnswer> {
  const from = to - window_ms
  const calls = await newest(deps, 'calls', searchFor(caller, { since: from }), MOST_CALLS)
  const seen = calls.filter(({ row }) => maySeeCall(caller, row) && row.received_at >= from)
  const requests = (await newest(deps, 'approvals', searchFor(caller, {}), MOST_REQUESTS)).filter(
    ({ row }) => maySeeApproval(caller, row) && row.created_at >= from,
  )
  const isCut = calls.length >= MOST_CALLS
  const figures = overviewOf({
    from,
    to,
    complete_from: isCut ? (calls.at(-1)?.row.received_at ?? from) : from,
    calls: seen.map(({ row }) => seenOf(row)),
    answered: requests.flatMap(({ row }) => answeredOf(row)),
    waiting: requests.filter(({ row }) => row.state === 'pending').length,
  })
  const tools = deps.catalogue.tools().filter(({ row }) => row.gone_at === undefined)
  const admitted = tools.flatMap(({ row }) => (row.admitted === undefined ? [] : [row.admitted.definition]))
  return {
    ...figures,
    tokens: {
      all_tools: admitted.reduce((sum, definition) => sum + estimateTokens(JSON.stringify(definition)), 0),
      search: SEARCH_TOKENS,
      tools: admitted.length,
    },
  }
}

function seenOf(row: Stored<'calls'>['row']): SeenCall {
  const { state, tool_id, caller, received_at, started_at, ended_at, verdict, approval_id } = row
  return {
    state,
    tool_id,
    caller,
    received_at,
    verdict,
    was_held: approval_id !== undefined,
    ...(started_at === undefined ? {} : { started_at }),
    ...(ended_at === undefined ? {} : { ended_at }),
  }
}

function answeredOf({ state, created_at, decisions }: Stored<'approvals'>['row']): Answered[] {
  if (state === 'expired') return ['expired']
  const last = decisions.at(-1)
  return last === undefined ? [] : [{ took_ms: last.at - created_at }]
}

const newest = <T extends SearchTable>(
  deps: Pick<OverviewPorts, 'searches' | 'after'>,
  table: T,
  where: SearchWhere | undefined,
  most: number,
) => newestRows(deps.searches, table, where, most, () => new Promise<void>((resolve) => void deps.after(0, resolve)))
