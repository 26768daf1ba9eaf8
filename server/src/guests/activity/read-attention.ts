import type { AttentionAnswer } from '../../kernel/contract/activity.ts'
import type { ApprovalRow } from '../../kernel/contract/approval.ts'
import type { CallRow } from '../../kernel/contract/call.ts'
import { DECIDING_KINDS, type Caller } from '../../kernel/contract/caller.ts'
import type { ConsentView } from '../../kernel/contract/consent.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { askedAs, seesRequest, substituteOf } from '../../kernel/approvals/asked-people.ts'
import { maySeeApproval, shownPacketOf, type ApprovalReadPorts } from '../../kernel/approvals/read-approvals.ts'
import { maySeeCall, searchFor } from '../../kernel/attempt/read-call.ts'
import { isUnsettled } from '../../kernel/attempt/retry-call.ts'
import type { ServerReport } from '../../kernel/catalogue/server-report.ts'
import { listConsents, type ConsentReadPorts } from '../../kernel/consents/list-consents.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'
import type { Searches, SearchTable, SearchWhere } from '../../kernel/ports/reads.ts'
import { summariseCall } from '../../kernel/attempt/summarise-call.ts'
import { newestRows } from './newest-rows.ts'

export type AttentionPorts = ApprovalReadPorts &
  ConsentReadPorts & {
    readonly searches: Searches
    readonly catalogue: Pick<Catalogue, 'tools'>
    readonly serverReports: () => readonly ServerReport[]
  }

const SOON_MS = 900_000
const DAY_MS = 86_400_000
/** A consent ends at most this long after it was given (CONSENT_LIMITS). */
const LONGEST_CONSENT_MS = 30 * DAY_MS
/** A consent is about to end in the last part of its time or of its calls. */
const LAST_PART = 0.2
/** How many of each kind are described; the rest are counted. */
const MOST_SHOWN = 5
/** How many rows of each table are read. */
const MOST_READ = 2_000
const AT_ONCE = 200

/** What somebody has to do something about now, as far as this caller may see it. Servers are those of this node. */
export async function readAttention(deps: AttentionPorts, caller: Caller): Promise<AttentionAnswer> {
  const now = deps.clock()
  const [requests, unknown, consents] = await Promise.all([
    closingRequests(deps, caller, now),
    unknownCalls(deps, caller),
    endingConsents(deps, caller, now),
  ])
  return { at: now, requests, servers: downServers(deps), unknown, consents, tools: toolsToAdmit(deps, caller) }
}

async function closingRequests(
  deps: AttentionPorts,
  caller: Caller,
  now: number,
): Promise<AttentionAnswer['requests']> {
  if (!DECIDING_KINDS.includes(caller.kind) && caller.kind !== 'user') return { pending: 0, count: 0, items: [] }
  const substitute = await substituteOf(deps, caller)
  const isSeen = (row: ApprovalRow) =>
    row.expires_at > now && maySeeApproval(caller, row) && seesRequest(caller, row, askedAs(deps, row, substitute))
  const pending = (await newest(deps, 'approvals', searchFor(caller, { state: 'pending' }))).filter(({ row }) =>
    isSeen(row),
  )
  const closing = pending
    .filter(({ row }) => row.expires_at - now <= SOON_MS)
    .toSorted((a, b) => a.row.expires_at - b.row.expires_at)
  const items = []
  for (const held of closing.slice(0, MOST_SHOWN)) {
    const { approval_id, sentence, asked_by, expires_at } = await shownPacketOf(deps, held)
    items.push({ approval_id, sentence, asked_by, expires_at })
  }
  return { pending: pending.length, count: closing.length, items }
}

async function unknownCalls(deps: AttentionPorts, caller: Caller): Promise<AttentionAnswer['unknown']> {
  const isOpen = (row: CallRow) => isUnsettled(row) && row.node === undefined && maySeeCall(caller, row)
  const open = (await newest(deps, 'calls', searchFor(caller, { state: 'unknown' }))).filter(({ row }) => isOpen(row))
  const items = []
  for (const { row } of open.slice(0, MOST_SHOWN)) {
    const { call_id, sentence, asked_by, received_at, problem } = (await summariseCall(deps, row)).summary
    items.push({ call_id, sentence, asked_by, received_at, ...(problem === undefined ? {} : { problem }) })
  }
  return { count: open.length, items }
}

async function endingConsents(deps: AttentionPorts, caller: Caller, now: number): Promise<AttentionAnswer['consents']> {
  const ending: ConsentView[] = []
  let after: number | undefined
  let read = 0
  do {
    const page = await listConsents(deps, caller, { limit: AT_ONCE, ...(after === undefined ? {} : { after }) })
    ending.push(...page.items.filter((consent) => isEnding(consent, now)))
    // They are listed newest first, so all that follow ended long ago.
    if (page.items.some(({ minted_at }) => minted_at < now - LONGEST_CONSENT_MS)) break
    after = page.next
    read += AT_ONCE
  } while (after !== undefined && read < MOST_READ)
  const items = ending
    .toSorted((a, b) => a.expires_at - b.expires_at)
    .slice(0, MOST_SHOWN)
    .map(({ consent_id, actor, what, expires_at, calls, calls_left }) => ({
      consent_id,
      actor,
      tool: what.tool,
      expires_at,
      calls,
      calls_left,
    }))
  return { count: ending.length, items }
}

type Ending = Pick<ConsentView, 'state' | 'calls' | 'calls_left' | 'minted_at' | 'expires_at'>

/** One that was never used is not missed when it ends. */
export function isEnding({ state, calls, calls_left, minted_at, expires_at }: Ending, now: number): boolean {
  if (state !== 'active' || calls_left === calls) return false
  return calls_left <= calls * LAST_PART || expires_at - now <= Math.min(DAY_MS, (expires_at - minted_at) * LAST_PART)
}

function downServers({ serverReports, catalogue }: AttentionPorts): AttentionAnswer['servers'] {
  const reports = serverReports()
  // One that failed and is tried again right now is still down.
  const isUp = ({ state, failures }: ServerReport) => state === 'ready' || (state === 'starting' && failures === 0)
  const down = reports.filter((report) => !isUp(report))
  const toolsOf = (server: string) =>
    catalogue.tools().filter(({ row }) => row.server === server && row.gone_at === undefined).length
  const items = down.slice(0, MOST_SHOWN).map((report) => {
    const { server, state } = report
    const last_line = Array.isArray(report['stderr']) ? (report['stderr'] as readonly string[]).at(-1) : undefined
    return {
      server,
      state,
      tools: toolsOf(server),
      since: Number(report['since'] ?? 0),
      failures: Number(report['failures'] ?? 0),
      ...(typeof report['last_failure'] === 'string' ? { last_failure: visibleText(report['last_failure']) } : {}),
      ...(last_line === undefined ? {} : { last_line }),
    }
  })
  return { all: reports.length, count: down.length, items }
}

function toolsToAdmit({ catalogue }: AttentionPorts, caller: Caller): AttentionAnswer['tools'] {
  if (!DECIDING_KINDS.includes(caller.kind)) return { count: 0, items: [] }
  const open = catalogue
    .tools()
    .filter(({ row }) => row.gone_at === undefined && row.admitted?.hash !== row.definition_hash)
  const items = open.slice(0, MOST_SHOWN).map(({ row }) => ({
    tool_id: row.tool_id,
    is: row.admitted === undefined ? ('new' as const) : ('changed' as const),
  }))
  return { count: open.length, items }
}

const newest = <T extends SearchTable>(deps: AttentionPorts, table: T, where: SearchWhere | undefined) =>
  newestRows(deps.searches, table, where, MOST_READ, () => deps.yieldWhenDue?.())
