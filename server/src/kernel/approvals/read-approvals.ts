import { foldedName } from '../contract/folded-name.ts'
import type { ApprovalPacket, ApprovalRow, ApprovalState } from '../contract/approval.ts'
import type { CallRow } from '../contract/call.ts'
import { DECIDING_KINDS, type Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { WhoIsAsked } from '../contract/routes.ts'
import { reviewDefinition } from '../catalogue/review-definition.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import type { Links } from '../attempt/describe-call.ts'
import { isUnsettled } from '../attempt/retry-call.ts'
import { approvers, type ApproverPorts } from '../identity/count-approvers.ts'
import { withStanding } from '../identity/standing-grants.ts'
import type { Stored, Page, Searches } from '../ports/reads.ts'
import { askedAs, seesRequest, substituteOf, type AskedPeoplePorts } from './asked-people.ts'
import { packetOf, type PacketPorts } from './packet-of.ts'

export type ApprovalReadPorts = PacketPorts & ApproverPorts & { readonly links: Links }

/** The packet of a request; at a node it says that the hub decides. */
export async function shownPacketOf(deps: ApprovalReadPorts, held: Stored<'approvals'>): Promise<ApprovalPacket> {
  const { url, hub } = deps.links(held.row.approval_id)
  const packet = await packetOf(deps, await withStanding(deps.tables, held))
  const asked = await withAble(deps, packet)
  return { ...packet, asked, ...(hub === undefined ? {} : { decided_at: { hub, url } }) }
}

/** Says so if a request needs more people than can approve it. A group has its own people, who are named. */
async function withAble(deps: ApproverPorts, { asked, state, asked_by }: ApprovalPacket): Promise<WhoIsAsked> {
  if (state !== 'pending' || asked.people < 2 || asked.groups.length > 0) return asked
  const known = await approvers(deps)
  const able = known && [...known].filter((user) => user !== foldedName(asked_by.user)).length
  return able === undefined || able >= asked.people ? asked : { ...asked, able }
}

/** Approvers see every request that they are asked about (asked-people.ts), people those made in their name. Agents see none. */
export function maySeeApproval(caller: Caller, row: Pick<ApprovalRow, 'caller' | 'tool_id'>): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  return caller.kind === 'user' && row.caller.user === caller.user && grantedTools(caller)(row.tool_id)
}

export type InboxPage = { readonly items: readonly ApprovalPacket[]; readonly next?: number }

/** By its tool, the id of its caller, and when it was made. */
export type ApprovalFilter = {
  readonly tool?: string
  readonly caller?: string
  readonly since?: number
  readonly until?: number
}

/** How many requests one page reads if they are filtered: there is an index only for their states and people. */
const MOST_READ = 2_000
const AT_ONCE = 200

/**
 * Filtered before it is paged: somebody who sees few requests finds all of them on their first pages. Oldest first. With a filter, a
 * page may be short and still have a `next`, which says how far it got.
 */
export async function listApprovals(
  deps: ApprovalReadPorts & { readonly searches: Searches },
  caller: Caller,
  state: ApprovalState | undefined,
  page: Page,
  filter: ApprovalFilter = {},
): Promise<InboxPage> {
  const isDecider = DECIDING_KINDS.includes(caller.kind)
  if (!isDecider && caller.kind !== 'user') return { items: [] }
  const where = { ...(state === undefined ? {} : { state }), ...(isDecider ? {} : { user: caller.user }) }
  const substitute = await substituteOf(deps, caller)
  const isSeen = (row: ApprovalRow) =>
    isMeant(filter, row) && maySeeApproval(caller, row) && seesRequest(caller, row, askedAs(deps, row, substitute))
  const isFiltered = Object.keys(filter).length > 0
  const items: ApprovalPacket[] = []
  let place = page
  for (let read = 0; ;) {
    const found = await deps.searches.search('approvals', where, isFiltered ? { ...place, limit: AT_ONCE } : place)
    for (const one of found.items.filter(({ row }) => isSeen(row))) {
      items.push(await shownPacketOf(deps, one))
      await deps.yieldWhenDue?.()
      if (isFiltered && items.length === page.limit) return { items, next: one.cursor }
    }
    const { next } = found
    read += AT_ONCE
    if (next === undefined || !isFiltered || read >= MOST_READ)
      return { items, ...(next === undefined ? {} : { next }) }
    place = { ...page, after: next }
  }
}

const isMeant = ({ tool, caller, since, until }: ApprovalFilter, row: ApprovalRow): boolean =>
  (tool === undefined || row.tool_id === tool) &&
  (caller === undefined || row.caller.id === caller) &&
  (since === undefined || row.created_at >= since) &&
  (until === undefined || row.created_at <= until)

export async function readApproval(
  deps: ApprovalReadPorts,
  caller: Caller,
  approval_id: string,
): Promise<Result<ApprovalPacket>> {
  const held = await visibleApproval(deps, caller, approval_id)
  if (held === undefined) return refuse('approval.unknown', { approval_id })
  return ok({ ...(await shownPacketOf(deps, held)), ...definitionIn(deps, caller, held.row) })
}

/** Undefined if there is none, or if this caller may not see it. */
export async function visibleApproval(
  deps: AskedPeoplePorts,
  caller: Caller,
  approval_id: string,
): Promise<Stored<'approvals'> | undefined> {
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined || !maySeeApproval(caller, held.row)) return undefined
  const asked = askedAs(deps, held.row, await substituteOf(deps, caller))
  return seesRequest(caller, held.row, asked) ? held : undefined
}

export type UnknownPage = { readonly items: readonly CallRow[]; readonly next?: number }

/** Calls whose outcome is unknown, for the people who decide approvals. */
export async function listUnknown(
  deps: Pick<ApprovalReadPorts, 'tables' | 'judgement'>,
  caller: Caller,
  page: Page,
): Promise<Result<UnknownPage>> {
  if (!DECIDING_KINDS.includes(caller.kind)) return refuse('auth.forbidden', { needs: DECIDING_KINDS.join(', ') })
  const held = await deps.tables.list('calls', { state: 'unknown' }, page)
  const shown = async (row: CallRow): Promise<CallRow> => {
    const { args } = await deps.judgement.scanner.shownArgs(row.canonical_args)
    return { ...row, canonical_args: await deps.judgement.scanner.visible(args) }
  }
  const last = held.length === page.limit ? held.at(-1) : undefined
  const items = await Promise.all(
    held.filter(({ row }) => isUnsettled(row) && row.node === undefined).map(({ row }) => shown(row)),
  )
  return ok({ items, ...(last === undefined ? {} : { next: last.cursor }) })
}

/** Texts that nobody has admitted are shown to approvers, never to the caller. */
function definitionIn(
  { catalogue }: Pick<ApprovalReadPorts, 'catalogue'>,
  caller: Caller,
  { tool_id }: ApprovalRow,
): Pick<ApprovalPacket, 'definition'> {
  const row = catalogue.tool(tool_id)?.row
  if (row === undefined || row.admitted?.hash === row.definition_hash || !DECIDING_KINDS.includes(caller.kind))
    return {}
  return { definition: reviewDefinition(row) }
}
