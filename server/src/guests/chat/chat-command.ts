import { strictReply } from '../../kernel/approvals/strict-reply.ts'

/** What a line in the approvers' room asks for. */
export type ChatCommand =
  | { readonly do: 'approvals' }
  | { readonly do: 'runs' }
  | { readonly do: 'help' }
  | { readonly do: 'run'; readonly id: string }
  | { readonly do: 'approve'; readonly id: string; readonly reason?: string }
  /** Without a reason it denies nothing yet: the answer asks for one. */
  | { readonly do: 'deny'; readonly id: string; readonly reason?: string }
  | { readonly do: 'redeem'; readonly id: string; readonly token: string }
  /** Starts like a command but is not one: the reply shows the correct form. */
  | { readonly do: 'unclear'; readonly says: string }

const ID = '[A-Za-z0-9_-]{6,128}'
const APPROVE = new RegExp(`^approve (${ID})(?: reason: (\\S.{0,499}))?$`, 'i')
const DENY = new RegExp(`^deny (${ID})(?: reason: (\\S.{0,499}))?$`, 'i')
const RUN = new RegExp(`^run (${ID})$`, 'i')
const BEGINS = /^(?:approvals|approve|aprobar|reject|rechazar|deny|runs|run|help)\b/i

export const CHAT_HELP = [
  'approvals: list the requests that are waiting',
  'approve ID [reason: …]: approve the request as its message shows it; or react with ✅ to the message',
  'deny ID reason: …: deny it; the agent reads the reason',
  'runs, run ID: show what is running',
].join('\n')

/**
 * Parses a whole message: one line, trimmed. Undefined: people are talking to each other.
 * INVARIANT: no Unicode folding, so a look-alike letter never makes a command.
 */
export function chatCommand(message: string): ChatCommand | undefined {
  const text = message.trim()
  if (!BEGINS.test(text)) return undefined
  if (/[\n\r\u2028\u2029]/.test(text)) return { do: 'unclear', says: 'a command is one line' }
  const reply = strictReply(text)
  if (reply?.says === 'approve') return approveBy(reply.approval_id, reply.token)
  if (reply?.says === 'reject') return denyOf(reply.approval_id, reply.reason)
  const word = text.toLowerCase()
  if (word === 'approvals' || word === 'runs' || word === 'help') return { do: word }
  const [, run] = RUN.exec(text) ?? []
  if (run !== undefined) return { do: 'run', id: run }
  const [, id, reason] = APPROVE.exec(text) ?? []
  if (id !== undefined) return { do: 'approve', id, ...(reason === undefined ? {} : { reason }) }
  const [, denied, why] = DENY.exec(text) ?? []
  if (denied !== undefined) return denyOf(denied, why)
  return { do: 'unclear', says: `not understood:\n${CHAT_HELP}` }
}

const denyOf = (id: string, reason: string | undefined): ChatCommand => ({
  do: 'deny',
  id,
  ...(reason === undefined ? {} : { reason }),
})
const approveBy = (id: string, token: string): ChatCommand => ({ do: 'redeem', id, token })

const YES = new Set(['✅', '👍', '✔', '☑'])
const NO = new Set(['❌', '👎', '✖'])

/** A reaction to a prompt. Undefined: it decides nothing. */
export function reactionDecision(key: string): 'approve' | 'deny' | undefined {
  // Ignore skin tones and the variation selector.
  const plain = key.replaceAll(/\u{fe0f}|[\u{1f3fb}-\u{1f3ff}]/gu, '')
  if (YES.has(plain)) return 'approve'
  return NO.has(plain) ? 'deny' : undefined
}
