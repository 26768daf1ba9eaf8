import type { ApprovalRow, Decision } from '../../contract/approval.ts'
import type { HubWord } from '../../contract/hub.ts'
import { STRENGTHS } from '../../contract/verdict.ts'

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
export function notForMessage(word: HubWord, sent: SentMessage, now: number): string | undefined {
  if (word.node !== sent.node) return 'another node'
  if (word.message !== sent.message || word.approval_id !== sent.approval_id) return 'another message'
  if (word.nonce !== sent.nonce) return 'another nonce'
  if (word.iat * 1_000 > now + SKEW_MS) return 'signed in the future'
  if (word.exp * 1_000 <= now) return 'too old'
  return undefined
}

/** The node's request as it is now; `packet_digest` and `strength` are those of the packet. */
export type WaitingRequest = Pick<ApprovalRow, 'tool_id' | 'definition_hash' | 'args_hash' | 'strength'> & {
  readonly packet_digest: string
  readonly run: string | null
}

/**
 * Why an approval is not for exactly this call, in a few words; undefined if it is.
 * INVARIANT: only what was shown is approved: tool, definition, arguments and packet are compared, and at least as many people
 * were asked.
 */
export function notForRequest(word: HubWord, request: WaitingRequest): string | undefined {
  if (word.tool !== request.tool_id) return 'another tool'
  if (word.definition_hash !== request.definition_hash) return 'another definition of the tool'
  if (word.args_hash !== request.args_hash) return 'other arguments'
  if (word.packet_digest !== request.packet_digest) return 'an older version of the request'
  if (word.run !== request.run) return 'another run'
  if (STRENGTHS.indexOf(word.strength) < STRENGTHS.indexOf(request.strength)) return 'a weaker request'
  if (word.says === 'approve' && new Set(word.decisions.map(({ user }) => user)).size < peopleIn(request))
    return 'too few people'
  return undefined
}

const peopleIn = ({ strength }: Pick<WaitingRequest, 'strength'>): number => (strength === 'two_person' ? 2 : 1)

/** The decisions made at the hub, as decisions of the node's own row. */
export function decisionsOf(word: HubWord): readonly Decision[] {
  const says = word.says === 'approve' ? 'approve' : 'deny'
  return word.decisions.map(({ by, user, for: seat, at }, index, all) => ({
    by,
    user,
    ...(seat === undefined ? {} : { for: seat }),
    says: index === all.length - 1 ? says : 'approve',
    how: 'hub',
    ...(word.reason === undefined || index < all.length - 1 ? {} : { reason: word.reason }),
    at,
  }))
}
