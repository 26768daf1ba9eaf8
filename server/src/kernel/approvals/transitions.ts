import { foldedName, isSameName } from '../contract/folded-name.ts'
import type { ApprovalRow, ApprovalState, Decision } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import type { ApprovalId } from '../contract/ids.ts'
import { ok, refuse, type KernelProblemCode, type Result } from '../contract/problems.ts'
import type { Strength } from '../contract/verdict.ts'
import { mayDecide, needsPassphrase } from './may-decide.ts'
import {
  countApprovals,
  isAsked,
  isStandingApproval,
  peopleNeeded,
  seatOf,
  seatsFor,
  type AskedMembers,
} from './routes/seats.ts'

export type Move = 'approve' | 'deny' | 'edit' | 'expire' | 'withdraw' | 'consume' | 'go_stale'

/** Every legal transition, once. `in_time`: rejected after the request's expiry, whether or not its timer has fired. */
export const MOVES: Readonly<
  Record<Move, { readonly from: ApprovalState; readonly to: ApprovalState; readonly in_time: boolean }>
> = {
  approve: { from: 'pending', to: 'approved', in_time: true },
  deny: { from: 'pending', to: 'denied', in_time: true },
  edit: { from: 'pending', to: 'edited', in_time: true },
  expire: { from: 'pending', to: 'expired', in_time: false },
  withdraw: { from: 'pending', to: 'withdrawn', in_time: false },
  consume: { from: 'approved', to: 'consumed', in_time: true },
  go_stale: { from: 'approved', to: 'stale', in_time: false },
}

/** The answer to one more decision on a request that can no longer be decided: the first decision counts. */
const UNDECIDABLE: Readonly<Record<ApprovalState, KernelProblemCode>> = {
  pending: 'approval.not_pending',
  approved: 'approval.not_pending',
  consumed: 'approval.not_pending',
  stale: 'approval.not_pending',
  edited: 'approval.not_pending',
  denied: 'approval.not_pending',
  expired: 'approval.expired',
  withdrawn: 'approval.withdrawn',
}

/** The answer to a call that wants to use a request that is not approved. Pending: a person still has to decide. */
const UNUSABLE: Readonly<Record<ApprovalState, KernelProblemCode>> = {
  pending: 'auth.forbidden',
  approved: 'approval.used',
  consumed: 'approval.used',
  stale: 'approval.stale',
  edited: 'approval.not_pending',
  denied: 'approval.denied',
  expired: 'approval.expired',
  withdrawn: 'approval.withdrawn',
}

/** By role from an approver's own channel, or by a token redeemed by the thread's user. */
export type How = Decision['how']

/** The strength that the operator assigns to redeeming a token. */
export type TokenStrength = 'simple' | 'strong'

/** A token is the requester's own approval, so it is never enough for a request that two people decide. */
export const isEnough = (strength: Strength, tokens: TokenStrength): boolean =>
  strength === 'simple' || (strength === 'strong' && tokens === 'strong')

function refuseMove(
  row: ApprovalRow,
  code: KernelProblemCode,
  more: Readonly<Record<string, string>> = {},
): Result<never> {
  return refuse(code, { approval_id: row.approval_id, state: row.state, ...more })
}

/** Whether a transition is legal from the row's state and, if time matters, at this time. */
function canMove(row: ApprovalRow, move: Move, now: number): Result<void> {
  const { from, in_time } = MOVES[move]
  if (row.state !== from) {
    const code = (from === 'pending' ? UNDECIDABLE : UNUSABLE)[row.state]
    return refuseMove(row, code, code === 'auth.forbidden' ? { needs: 'approver' } : {})
  }
  if (in_time && now >= row.expires_at) return refuseMove(row, 'approval.expired')
  return ok(undefined)
}

/** The two ways to decide, never mixed. An agent's or a node's credential redeems nothing, even for the right user. */
function checkMayDecide(row: ApprovalRow, decider: Caller, how: How): Result<void> {
  if (how === 'role') return mayDecide(decider)
  if (decider.kind === 'agent' || decider.kind === 'node') return refuseMove(row, 'auth.forbidden', { needs: 'user' })
  return decider.user === row.caller.user ? ok(undefined) : refuseMove(row, 'approval.wrong_user')
}

/** For a request that is not routed to a group: everybody with the approver role is asked. */
export const EVERYBODY: AskedMembers = { substitutes_for: [] }

/** INVARIANT: nobody outside the group of a route decides. If its members are not known, nobody does. */
function checkIsAsked(row: ApprovalRow, decider: Caller, how: How, asked: AskedMembers): Result<void> {
  if (row.route?.group === undefined) return ok(undefined)
  if (how === 'token') return refuseMove(row, 'auth.forbidden', { needs: 'approver' })
  if (asked.members !== undefined && isAsked(decider.user, asked)) return ok(undefined)
  return refuseMove(row, 'approval.not_asked', { group: row.route.group, route: row.route.id })
}

/** The person behind the call. A node's request comes from the person that the node names, not from the node's owner. */
const requesterOf = ({ caller, from_node }: ApprovalRow): string => from_node?.context.user ?? caller.user

/**
 * The seat that an approval takes, or why this person's decision does not count. People are identified by `user`: one may have
 * several credentials, and may substitute others. Two spellings of a name (`Ana`, `ana`) are one person.
 */
function seatToTake(
  row: ApprovalRow,
  decider: Caller,
  how: How,
  tokens: TokenStrength,
  asked: AskedMembers,
): Result<string> {
  if (row.strength !== 'simple' && how === 'token' && (needsPassphrase(row) || !isEnough(row.strength, tokens)))
    return refuseMove(row, 'auth.forbidden', { needs: 'approver' })
  const requester = requesterOf(row)
  if (asked.members === undefined && peopleNeeded(row) === 1) return ok(decider.user)
  if (isSameName(decider.user, requester)) return refuseMove(row, 'approval.own_request')
  const standing = row.decisions.filter(isStandingApproval)
  if (standing.some(({ user }) => isSameName(user, decider.user)))
    return refuseMove(row, 'approval.already_decided_by_you')
  const seats = seatsFor(decider.user, asked).filter((seat) => !isSameName(seat, requester))
  if (seats.length === 0) return refuseMove(row, 'approval.own_request')
  const taken = new Set(standing.map((decision) => foldedName(seatOf(decision))))
  const free = seats.find((seat) => !taken.has(foldedName(seat)))
  // If a substitute already used a member's own seat, the member cannot decide through a third person's seat.
  const isOwnTaken = taken.has(foldedName(decider.user))
  return free === undefined || isOwnTaken ? refuseMove(row, 'approval.decided_for_you') : ok(free)
}

function decided(row: ApprovalRow, state: ApprovalState, decision: Decision): ApprovalRow {
  return { ...inState(row, state), decisions: [...row.decisions, decision] }
}

/** The unredacted preview is stored only for the approver, so it is deleted when there is nothing left to decide. */
function inState({ preview_raw, ...row }: ApprovalRow, state: ApprovalState): ApprovalRow {
  return { ...row, ...(preview_raw === undefined || state !== 'pending' ? {} : { preview_raw }), state }
}

const decisionBy = (
  says: Decision['says'],
  decider: Caller,
  how: How,
  at: number,
  reason: string | undefined,
  seat: string = decider.user,
): Decision => ({
  by: decider.id,
  user: decider.user,
  ...(seat === decider.user ? {} : { for: seat }),
  says,
  how,
  ...(reason === undefined ? {} : { reason }),
  at,
  ...(decider.credential?.key === undefined ? {} : { keys: [decider.credential.key] }),
})

/** How a decision is evaluated: the strength of tokens, and who is asked. */
export type DecisionContext = { readonly tokens?: TokenStrength; readonly asked?: AskedMembers }

/**
 * One person's approval. If several people are asked, the request stays `pending` until enough of them have approved.
 * INVARIANT: if several people or a group are asked, the requester's own user never counts and nobody counts twice.
 */
export function approve(
  row: ApprovalRow,
  decider: Caller,
  how: How,
  now: number,
  reason?: string,
  { tokens = 'simple', asked = EVERYBODY }: DecisionContext = {},
): Result<ApprovalRow> {
  const checks = [
    canMove(row, 'approve', now),
    checkMayDecide(row, decider, how),
    checkIsAsked(row, decider, how, asked),
  ]
  for (const check of checks) {
    if (!check.ok) return check
  }
  const seat = seatToTake(row, decider, how, tokens, asked)
  if (!seat.ok) return seat
  const word = decisionBy('approve', decider, how, now, reason, seat.value)
  const needed = peopleNeeded(row)
  const isOne = asked.members === undefined && needed === 1
  const counted = countApprovals([...row.decisions, word], requesterOf(row), asked.members)
  return ok(decided(row, isOne || counted >= needed ? MOVES.approve.to : 'pending', word))
}

/** One denial is enough, whatever the strength and whoever approved before. Only those who are asked can deny. */
export function deny(
  row: ApprovalRow,
  decider: Caller,
  how: How,
  now: number,
  reason?: string,
  { asked = EVERYBODY }: DecisionContext = {},
): Result<ApprovalRow> {
  for (const check of [
    canMove(row, 'deny', now),
    checkMayDecide(row, decider, how),
    checkIsAsked(row, decider, how, asked),
  ]) {
    if (!check.ok) return check
  }
  const seat = seatsFor(decider.user, asked)[0]
  return ok(decided(row, MOVES.deny.to, decisionBy('deny', decider, how, now, reason, seat)))
}

/** Closes a request whose inputs an approver edited; the new request is decided by the gate and by people like any other. */
export function markEdited(
  row: ApprovalRow,
  by: Caller,
  replacedBy: ApprovalId,
  now: number,
  asked: AskedMembers = EVERYBODY,
): Result<ApprovalRow> {
  for (const check of [canMove(row, 'edit', now), mayDecide(by), checkIsAsked(row, by, 'role', asked)]) {
    if (!check.ok) return check
  }
  return ok({ ...inState(row, MOVES.edit.to), replaced_by: replacedBy })
}

/** Too few people have decided in time: another group is asked too. Undefined if there is nothing left to do. */
export function escalate(row: ApprovalRow, now: number): ApprovalRow | undefined {
  const { route } = row
  const isDue = row.state === 'pending' && now < row.expires_at
  if (!isDue || route?.escalation === undefined || route.escalated_at !== undefined) return undefined
  return { ...row, route: { ...route, escalated_at: now } }
}

function move(row: ApprovalRow, name: Move, now: number): Result<ApprovalRow> {
  const check = canMove(row, name, now)
  return check.ok ? ok(inState(row, MOVES[name].to)) : check
}

/** The request's timer fired. */
export const expire = (row: ApprovalRow, now: number): Result<ApprovalRow> => move(row, 'expire', now)
/** The caller withdraws the call. Whether this caller may do so is checked by the command. */
export const withdraw = (row: ApprovalRow, now: number): Result<ApprovalRow> => move(row, 'withdraw', now)
/** The approved call is about to be marked `executing`. An expired approval cannot be used. */
export const consume = (row: ApprovalRow, now: number): Result<ApprovalRow> => move(row, 'consume', now)
/** The recheck before execution failed: the tool, the policy or the facts have changed since the approval. */
export const goStale = (row: ApprovalRow, now: number): Result<ApprovalRow> => move(row, 'go_stale', now)
