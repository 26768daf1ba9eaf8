import type { ApprovalRow } from '../contract/approval.ts'
import { DECIDING_KINDS, type Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { ApprovalRoutes } from './routes/routes.ts'
import { isAsked, membersOf, type AskedMembers } from './routes/seats.ts'
import type { Change } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { delegationIn, liveDelegations } from './delegations.ts'

export type AskedPeoplePorts = { readonly tables: Tables; readonly clock: Clock; readonly routes: ApprovalRoutes }

/** The people who delegated to somebody, and the rows that say so. */
export type Substitute = { readonly from: readonly string[]; readonly held: readonly Stored<'runs'>[] }

const NOBODY: Substitute = { from: [], held: [] }

/** Without groups there is nobody to substitute. */
export async function substituteOf(deps: AskedPeoplePorts, { user }: Caller): Promise<Substitute> {
  if (deps.routes.groups.size === 0) return NOBODY
  const live = await liveDelegations(deps)
  const held = live.filter((one) => delegationIn(one).to === user)
  return { from: held.map((one) => delegationIn(one).from), held }
}

export const askedAs = (
  { routes }: Pick<AskedPeoplePorts, 'routes'>,
  row: ApprovalRow,
  substitute: Substitute,
): AskedMembers => {
  const members = membersOf(row, routes.groups)
  return { substitutes_for: substitute.from, ...(members === undefined ? {} : { members }) }
}

/**
 * Whether somebody sees a request: people see those made in their name, admins all of them, approvers those that they are or were
 * asked about.
 */
export function seesRequest(caller: Caller, row: ApprovalRow, asked: AskedMembers): boolean {
  if (caller.kind === 'admin' || asked.members === undefined || isAsked(caller.user, asked)) return true
  return caller.user === row.caller.user || row.decisions.some(({ user }) => user === caller.user)
}

/** The answer to somebody who is not asked: an admin learns who is, everybody else that there is no such request. */
export function refuseUnasked({ kind }: Caller, { approval_id, route }: ApprovalRow): Result<never> {
  if (kind !== 'admin') return refuse('approval.unknown', { approval_id })
  return refuse('approval.not_asked', { approval_id, group: route?.group ?? '', route: route?.id ?? '' })
}

export type AskedApprover = { readonly asked: AskedMembers; readonly substitute: Substitute }

/** Who is asked about one request, for somebody who wants to decide, edit or reveal it; or why they may not. */
export async function mayBeAsked(deps: AskedPeoplePorts, by: Caller, row: ApprovalRow): Promise<Result<AskedApprover>> {
  const substitute = await substituteOf(deps, by)
  const asked = askedAs(deps, row, substitute)
  const isDecider = DECIDING_KINDS.includes(by.kind)
  if (asked.members === undefined || !isDecider || isAsked(by.user, asked)) return ok({ asked, substitute })
  return refuseUnasked(by, row)
}

/**
 * A substitute's decision counts only while the delegation was not revoked: the commit expects the delegation's row to be
 * unchanged.
 */
export function expectsDelegation(user: string, seat: string | undefined, substitute: Substitute): Change[] {
  const relied = usedDelegation(user, seat, substitute)
  return relied === undefined ? [] : [{ kind: 'expect', table: 'runs', id: relied.row.run_id, version: relied.version }]
}

/** A decision that used a delegation rests on the key of that one, too. */
export function restingOn(to: ApprovalRow, { user }: Caller, substitute: Substitute): ApprovalRow {
  const last = to.decisions.at(-1)
  const relied = usedDelegation(user, last?.for, substitute)
  const key = relied && delegationIn(relied).key
  if (last === undefined || key === undefined) return to
  return { ...to, decisions: [...to.decisions.slice(0, -1), { ...last, keys: [...(last.keys ?? []), key] }] }
}

function usedDelegation(user: string, seat: string | undefined, { held }: Substitute): Stored<'runs'> | undefined {
  return seat === undefined || seat === user ? undefined : held.find((one) => delegationIn(one).from === seat)
}
