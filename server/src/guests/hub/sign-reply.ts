import type { ApprovalRow, ApprovalState, FromNode } from '../../kernel/contract/approval.ts'
import type { HubReply } from './hub.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { isStandingApproval, peopleNeeded } from '../../kernel/approvals/routes/seats.ts'
import { withStanding } from '../../kernel/identity/standing-grants.ts'
import type { HubKeys } from './ports.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'

export type SignPorts = { readonly hubKeys: HubKeys; readonly clock: Clock; readonly tables: Tables }

/** How long a signed decision is valid; later it has to be requested again. */
const REPLY_S = 300
const LONGEST_REASON = 2_000

const SAYS: Readonly<Partial<Record<ApprovalState, HubReply['says']>>> = {
  pending: 'received',
  approved: 'approve',
  denied: 'deny',
  // An admin of the hub withdrew it.
  withdrawn: 'deny',
  expired: 'expired',
}

export type NodeApproval = ApprovalRow & { readonly from_node: FromNode }
export const isOfNode = (row: ApprovalRow): row is NodeApproval => row.from_node !== undefined

/**
 * The hub's current decision about a node's request; undefined if it was already used.
 * INVARIANT: signed only from what is stored, and an approval only while it has not expired, the keys of enough approvers are still valid,
 * and its outcome was not reported.
 */
export async function signReply(deps: SignPorts, stored: NodeApproval): Promise<Result<string | undefined>> {
  const now = deps.clock()
  const { row } = await withStanding(deps.tables, { row: stored })
  const isOpen = row.state === 'pending' || row.state === 'approved'
  const isEnded = row.state === 'approved' && row.decisions.filter(isStandingApproval).length < peopleNeeded(row)
  const says = (isOpen && now >= row.expires_at) || isEnded ? 'expired' : SAYS[row.state]
  if (says === undefined) return ok(undefined)
  const why = isEnded ? { reason: 'the key of an approver was revoked' } : {}
  return deps.hubKeys.sign({ ...replyFor(row, now), ...why, says, jti: `${row.approval_id} ${says}` })
}

/** Confirms that the outcome of a request is recorded. */
export const signReported = (
  deps: SignPorts,
  row: NodeApproval,
  { message, nonce }: Pick<FromNode, 'message' | 'nonce'>,
): Promise<Result<string>> =>
  deps.hubKeys.sign({
    ...replyFor(row, deps.clock()),
    says: 'reported',
    message,
    nonce,
    jti: `${row.approval_id} reported ${message}`,
  })

function replyFor(row: NodeApproval, now: number): Omit<HubReply, 'says' | 'jti'> {
  const { node, message, nonce, approval_id, tool, packet_digest, context } = row.from_node
  const last = row.decisions.at(-1)
  const iat = Math.floor(now / 1_000)
  // A decision about an expired request is still reported.
  const ends = row.expires_at > now ? Math.max(iat + 1, Math.floor(row.expires_at / 1_000)) : iat + REPLY_S
  return {
    v: 1,
    iat,
    exp: Math.min(iat + REPLY_S, ends),
    node,
    message,
    nonce,
    approval_id,
    hub_approval_id: row.approval_id,
    tool,
    definition_hash: row.definition_hash,
    args_hash: row.args_hash,
    packet_digest,
    run: context.run ?? null,
    strength: row.strength,
    decider: last?.by ?? null,
    decisions: row.decisions.flatMap(({ by, user, for: seat, at, ended_at }) =>
      ended_at === undefined ? [{ by, user, ...(seat === undefined ? {} : { for: seat }), at }] : [],
    ),
    ...(last?.reason === undefined || last.reason === '' ? {} : { reason: last.reason.slice(0, LONGEST_REASON) }),
  }
}
