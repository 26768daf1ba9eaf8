import type { ApprovalRow } from '../contract/approval.ts'

/** A parsed approval token. Only `mac` proves anything, and only keys/ can verify it. */
export type ApprovalToken = { readonly seconds: number; readonly nonce: string; readonly mac: string }

/** How long a token is valid, from the seconds it carries. It never outlives the request: the request's expiry is signed too. */
export const TOKEN_LIFETIME_MS = 300_000
/** How far ahead of our clock a token's time may be. */
export const CLOCK_TOLERANCE_MS = 5_000

/** Lower case only and no leading zero: one token has exactly one text, so nothing can be redeemed twice under two spellings. */
const TOKEN = /^v1\.(0|[1-9][0-9]{0,11})\.([0-9a-f]{16})\.([0-9a-f]{64})$/

export function parseToken(text: string): ApprovalToken | undefined {
  const [, seconds, nonce, mac] = TOKEN.exec(text) ?? []
  if (seconds === undefined || nonce === undefined || mac === undefined) return undefined
  return { seconds: Number(seconds), nonce, mac }
}

/**
 * What a token for this request is bound to: always from the stored row and the packet that is shown now, never from what was
 * presented with the token.
 */
export function claimsOf(row: ApprovalRow, packet_digest: string) {
  return {
    approval_id: row.approval_id,
    tool_id: row.tool_id,
    definition_hash: row.definition_hash,
    args_hash: row.args_hash,
    thread: row.thread,
    user: row.caller.user,
    expires_at: row.expires_at,
    packet_digest,
  }
}

/** The key under which a redemption is inserted once: by approval and nonce, never by the token's text. */
export function onceKey(row: Pick<ApprovalRow, 'approval_id'>, token: Pick<ApprovalToken, 'nonce'>): string {
  return `token:${row.approval_id}:${token.nonce}`
}
