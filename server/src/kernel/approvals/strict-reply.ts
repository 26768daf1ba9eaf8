/** A person's reply to a pending approval, exactly as specified: the whole message, trimmed. */
const APPROVE = /^(?:APROBAR|APPROVE)\s+([A-Za-z0-9_-]{6,})\s+([A-Za-z0-9._-]{10,})$/i
const REJECT = /^(?:RECHAZAR|REJECT)\s+([A-Za-z0-9_-]{6,})(?:\s+(.{1,500}))?$/i

export type StrictReply =
  | { readonly says: 'approve'; readonly approval_id: string; readonly token: string }
  | { readonly says: 'reject'; readonly approval_id: string; readonly reason: string | undefined }

/**
 * Undefined for anything that is not exactly a reply.
 * INVARIANT: no Unicode folding: `ſ` and Cyrillic letters do not match, because without the `u` flag case-insensitive matching
 * leaves non-ASCII letters alone.
 */
export function strictReply(message: string): StrictReply | undefined {
  const text = message.trim()
  const [, id, token] = APPROVE.exec(text) ?? []
  if (id !== undefined && token !== undefined) return { says: 'approve', approval_id: id, token }
  const rejected = REJECT.exec(text)
  if (rejected?.[1] === undefined) return undefined
  return { says: 'reject', approval_id: rejected[1], reason: rejected[2] }
}
