import type { AgentSettings } from './agent.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { replyWithoutToken, type MisspeltReply } from './replies.ts'
import { type StrictReply } from '../../kernel/approvals/strict-reply.ts'
import { startThread, type ThreadDocument, type WaitingMessage } from './state.ts'
import { agent, type AgentRunEvent } from './step.ts'
import { beginRun } from '../../kernel/runs/begin-run.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import { newRunChanges, addRunEvent } from '../../kernel/runs/run-changes.ts'
import { runOfThread, type Thread, type ThreadPorts } from './threads.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'

export type RecordTurnPorts = Pick<ThreadPorts, 'digest'> & { readonly agentSettings: AgentSettings }

export type TurnToRecord = {
  readonly thread_id: string
  /** Undefined for a new one. */
  readonly thread: Thread | undefined
  readonly message: WaitingMessage
  readonly isVolatile: boolean
  readonly trace: string
  readonly document?: ThreadDocument
  /** For the audit, besides the turn itself. */
  readonly about?: Readonly<Record<string, string>>
}

const TURN_REMEMBERED_MS = 7 * 86_400_000

/** INVARIANT: a token, whole or in part, is passed to its redemption and stored nowhere; secrets are removed from everything else. */
export async function cleanText(
  { judgement }: { readonly judgement: Pick<Judgement, 'scanner'> },
  message: string,
  reply: StrictReply | MisspeltReply | undefined,
): Promise<string> {
  if (reply?.says === 'misspelt' && reply.approves !== undefined) return `APPROVE ${reply.approves}`
  if (reply === undefined || reply.says === 'misspelt') return judgement.scanner.redact(message, 'messages')
  const reason = reply.says === 'reject' ? reply.reason : undefined
  return replyWithoutToken(reply, reason === undefined ? undefined : await judgement.scanner.redact(reason, 'messages'))
}

/**
 * Records a message for a thread, creating the thread if there is none. The caller of this function decides whose words they are.
 */
export function turnChanges(deps: RecordTurnPorts, caller: Caller, turn: TurnToRecord, now: number): Change[] {
  const { thread_id, thread, message, isVolatile, trace, document } = turn
  const run_id = runOfThread(deps, thread_id)
  const sender = JSON.parse(JSON.stringify(caller)) as JsonObject
  // A document's agent is always the same caller.
  const sent = document === undefined ? { ...message, caller: sender } : message
  const event: AgentRunEvent = { type: 'agent.message', message: sent }
  const version = document === undefined ? {} : { document: `${document.name}@${document.version}` }
  const start = {
    run_id,
    thread_id,
    user_id: caller.user,
    caller: sender,
    trace,
    settings: deps.agentSettings,
    do_not_store: isVolatile,
    ...(document === undefined ? {} : { document }),
  }
  const labels = {
    owner: callerIdentity(caller),
    thread: thread_id,
    ...version,
    ...(isVolatile ? { volatile: true as const } : {}),
  }
  return [
    // If two requests have the same key, only one becomes the turn.
    { kind: 'once', key: `agent.turn ${run_id} ${message.turn_id}`, until: now + TURN_REMEMBERED_MS },
    ...(thread === undefined
      ? newRunChanges(beginRun(agent, run_id, { state: startThread(start) }, now, labels), event)
      : addRunEvent(run_id, event)),
    {
      kind: 'audit',
      entry: {
        at: now,
        type: thread === undefined ? 'agent.started' : 'agent.message',
        actor: caller.id,
        trace,
        subject: { run: run_id, thread: thread_id, ...version },
        about: {
          asked_hash: message.asked_hash,
          turn: message.turn_id,
          reply: message.reply?.result ?? '',
          ...turn.about,
        },
      },
    },
  ]
}
