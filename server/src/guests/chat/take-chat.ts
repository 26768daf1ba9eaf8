import type { ApprovalPacket } from '../../kernel/contract/approval.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import { sentenceText } from '../../kernel/contract/sentence.ts'
import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { CHAT_HELP, chatCommand, reactionDecision, type ChatCommand } from './chat-command.ts'
import { decideApproval, type DecidePorts } from '../../kernel/approvals/decide-approval.ts'
import { packetOf } from '../../kernel/approvals/packet-of.ts'
import { listApprovals, type ApprovalReadPorts } from '../../kernel/approvals/read-approvals.ts'
import { refuseToken, type TokenPorts } from '../../kernel/approvals/tokens.ts'
import type { Links } from '../../kernel/attempt/describe-call.ts'
import type { MintPorts } from '../../kernel/consents/mint-consent.ts'
import type { PasskeyPorts } from '../../kernel/identity/passkeys.ts'
import type { ChatEvent, ChatPrompt, ChatRoom } from '../../kernel/ports/chat.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import type { Searches } from '../../kernel/ports/reads.ts'
import { listRuns, readRun, type ReadRunPorts } from '../../kernel/runs/read-run.ts'
import type { SenderLimits } from './sender-limits.ts'

export type ChatPorts = DecidePorts &
  ApprovalReadPorts &
  TokenPorts &
  MintPorts &
  PasskeyPorts &
  ReadRunPorts & { readonly searches: Searches; readonly links: Links; readonly limits: SenderLimits }

/** Older events are ignored: their senders no longer wait for an answer. */
const RECENT_MS = 3_600_000
const MOST_LISTED = 10
const MOST_TEXT = 200

type Asked = ChatCommand | { readonly do: 'secret' }

/**
 * Handles an event in the approvers' room and returns the answer. Undefined: no answer.
 * INVARIANT: one event decides at most once, on all nodes and across restarts: its id is spent in the commit of the decision.
 */
export async function takeChat(deps: ChatPorts, room: ChatRoom, event: ChatEvent): Promise<string | undefined> {
  const now = deps.clock()
  if (event.at < now - RECENT_MS) return undefined
  const asked = await askedBy(deps, event)
  if (asked === undefined) return undefined
  const allowed = deps.limits.take(room.name, event.sender, now)
  if (allowed === 'silent') return undefined
  if (allowed === 'notify') return 'Too many commands at once; wait a minute.'
  const by = room.people.get(event.sender)
  const spent = spentWith(deps, room, event, by, asked.do, now)
  const answer = await answerTo(deps, room, event, by, asked, spent)
  if (answer.isSpent) return answer.says
  // Another node, or this one before a restart, has answered it.
  return (await deps.ledger.commit(spent)) === 'committed' ? answer.says : undefined
}

async function askedBy(deps: ChatPorts, event: ChatEvent): Promise<Asked | undefined> {
  if (event.is === 'reaction') {
    const says = reactionDecision(event.key)
    if (event.to === undefined || says === undefined) return undefined
    const { approval_id: id } = event.to
    return says === 'approve' ? { do: 'approve', id } : { do: 'deny', id }
  }
  const command = chatCommand(event.text)
  // A token is not treated as a secret here: only its owner can use it, and only once.
  if (command?.do === 'redeem') return command
  const isClean = (await deps.judgement.scanner.redact(event.text, 'messages')) === event.text
  return isClean ? command : { do: 'secret' }
}

type Answer = { readonly says: string; readonly isSpent: boolean }
const said = (says: string): Answer => ({ says, isSpent: false })

async function answerTo(
  deps: ChatPorts,
  room: ChatRoom,
  event: ChatEvent,
  by: Caller | undefined,
  asked: Asked,
  spent: readonly Change[],
): Promise<Answer> {
  if (asked.do === 'secret')
    return said('That looks like a secret. It was not used; delete the message, and use the console for secrets.')
  if (by === undefined) return said('Only approvers named in the configuration of the gate can do that here.')
  switch (asked.do) {
    case 'help':
      return said(CHAT_HELP)
    case 'unclear':
      return said(asked.says)
    case 'approvals':
      return said(await listed(deps, by))
    case 'runs':
      return said(await running(deps, by))
    case 'run':
      return said(await oneRun(deps, by, asked.id))
    case 'redeem': {
      // A token belongs to the session of its request. In this room its people decide by their role.
      const why = await refuseToken(deps, by, { approval_id: asked.id, token: asked.token })
      return said(`${sayProblem(why)}\nHere, without a token: approve ${asked.id}`)
    }
    default:
      return decide(deps, by, asked, event.is === 'reaction' ? event.to : await room.promptFor(asked.id), spent)
  }
}

async function decide(
  deps: ChatPorts,
  by: Caller,
  asked: Extract<ChatCommand, { do: 'approve' | 'deny' }>,
  shown: ChatPrompt | undefined,
  spent: readonly Change[],
): Promise<Answer> {
  const { url } = deps.links(asked.id)
  const reason = asked.reason === undefined ? {} : { reason: asked.reason }
  if (asked.do === 'deny' && asked.reason === undefined)
    return said(`Not denied yet: give a reason, which the agent sees. Write: deny ${asked.id} reason: …`)
  if (asked.do === 'approve' && shown?.digest === undefined)
    return said(`${asked.id} is not shown here in full, so it cannot be approved here. Open ${url}`)
  const held = asked.do === 'approve' ? await deps.tables.row('approvals', asked.id) : undefined
  const packet = held && (await packetOf(deps, held))
  // A homeserver authenticates its users by a password that the gate cannot check.
  if (packet !== undefined && packet.strength !== 'simple')
    return said(`${asked.id} needs more than a simple approval, which cannot be given in a chat. Open ${url}`)
  const decision =
    asked.do === 'approve'
      ? // A message with a digest shows the packet of that digest whole.
        ({ says: 'approve', digest: shown?.digest ?? '', unfolded: idsIn(packet), ...reason } as const)
      : ({ says: 'deny', ...reason } as const)
  const decided = await decideApproval(deps, by, asked.id, decision, spent)
  if (decided.ok) return { says: `${asked.id} is ${decided.value.state}`, isSpent: true }
  return said(`${sayProblem(decided.problem)} ${url}`)
}

const idsIn = (packet: ApprovalPacket | undefined): readonly string[] => (packet?.foldable ?? []).map(({ id }) => id)

async function listed(deps: ChatPorts, by: Caller): Promise<string> {
  const { items, next } = await listApprovals(deps, by, 'pending', { limit: MOST_LISTED })
  if (items.length === 0) return 'Nothing is waiting.'
  const lines = items.map(({ approval_id, sentence }) => `${approval_id}: ${cut(sentenceText(sentence))}`)
  return [...lines, ...(next === undefined ? [] : [`and more: ${deps.links('').url}`])].join('\n')
}

async function running(deps: ChatPorts, by: Caller): Promise<string> {
  const { items } = await listRuns(deps, by, {}, { limit: MOST_LISTED })
  if (items.length === 0) return 'Nothing is running.'
  return items.map(({ run_id, kind, status }) => `${run_id}: ${kind}, ${status}`).join('\n')
}

async function oneRun(deps: ChatPorts, by: Caller, id: string): Promise<string> {
  const run = await readRun(deps, by, id, { limit: 1 })
  if (!run.ok) return sayProblem(run.problem)
  const { run_id, kind, status } = run.value
  return `${run_id}: ${kind}, ${status}`
}

const cut = (text: string): string => shortened(visibleText(text), MOST_TEXT)

function spentWith(
  deps: ChatPorts,
  room: ChatRoom,
  { event_id, sender, at }: ChatEvent,
  by: Caller | undefined,
  asked: string,
  now: number,
): Change[] {
  const actor = by?.id ?? 'nobody'
  const entry = {
    at: now,
    type: 'chat.asked' as const,
    actor,
    trace: deps.ids.trace(),
    subject: { channel: room.name },
  }
  const about = { event_id: cut(event_id), sender: cut(sender), asked, ...(by === undefined ? { refused: true } : {}) }
  return [
    { kind: 'once', key: `chat ${room.name} ${event_id}`, until: at + 2 * RECENT_MS },
    { kind: 'audit', entry: { ...entry, about } },
  ]
}
