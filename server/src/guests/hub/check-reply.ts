import { foldedName } from '../../kernel/contract/folded-name.ts'
import type { ApprovalRow, Decision } from '../../kernel/contract/approval.ts'
import type { HubReply } from './hub.ts'
import { STRENGTHS } from '../../kernel/contract/verdict.ts'

/** A hub clock that is ahead by less than this is accepted. */
export const SKEW_MS = 60_000

/** What the node knows about the message that a decision answers. */
export type SentMessage = {
  readonly node: string
  readonly message: string
  readonly nonce: string
  readonly approval_id: string
}

/** Why a genuine decision is not for this message, in a few words for the audit; undefined if it is. Pure. */
export function notForMessage(reply: HubReply, sent: SentMessage, now: number): string | undefined {
  if (reply.node !== sent.node) return 'another node'
  if (reply.message !== sent.message || reply.approval_id !== sent.approval_id) return 'another message'
  if (reply.nonce !== sent.nonce) return 'another nonce'
  if (reply.iat * 1_000 > now + SKEW_MS) return 'signed in the future'
  if (reply.exp * 1_000 <= now) return 'too old'
  return undefined
}

/** The node's request as it is now; `packet_digest` and `strength` are those of the packet. */
export type WaitingRequest = Pick<ApprovalRow, 'tool_id' | 'definition_hash' | 'args_hash' | 'strength'> & {
  readonly packet_digest: string
  readonly run: string | null
}

/**
 * Why an approval is not for exactly this call, in a few words; undefined if it is.
 * INVARIANT: only what was shown is approved: tool, definition, arguments and packet are compared, and at least as many people were asked.
 */
export function notForRequest(reply: HubReply, request: WaitingRequest): string | undefined {
  if (reply.tool !== request.tool_id) return 'another tool'
  if (reply.definition_hash !== request.definition_hash) return 'another definition of the tool'
  if (reply.args_hash !== request.args_hash) return 'other arguments'
  if (reply.packet_digest !== request.packet_digest) return 'an older version of the request'
  if (reply.run !== request.run) return 'another run'
  if (STRENGTHS.indexOf(reply.strength) < STRENGTHS.indexOf(request.strength)) return 'a weaker request'
  if (reply.says === 'approve' && new Set(reply.decisions.map(({ user }) => foldedName(user))).size < peopleIn(request))
    return 'too few people'
  return undefined
}

const peopleIn = ({ strength }: Pick<WaitingRequest, 'strength'>): number => (strength === 'two_person' ? 2 : 1)

/** The decisions made at the hub, as decisions of the node's own row. */
export function decisionsOf(reply: HubReply): readonly Decision[] {
  const says = reply.says === 'approve' ? 'approve' : 'deny'
  return reply.decisions.map(({ by, user, for: seat, at }, index, all) => ({
    by,
    user,
    ...(seat === undefined ? {} : { for: seat }),
    says: index === all.length - 1 ? says : 'approve',
    how: 'hub',
    ...(reply.reason === undefined || index < all.length - 1 ? {} : { reason: reply.reason }),
    at,
  }))
}
