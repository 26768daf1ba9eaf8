import { randomBytes } from 'node:crypto'
import type { McpPorts } from '../mcp-ports.ts'
import type { RelayNotice } from '../../../kernel/ports/notices.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { Json } from '../../../kernel/contract/json.ts'
import type { RequestsInProgress } from '../requests-in-progress.ts'
import { isQuestionId, type Questions } from './questions.ts'
import type { RpcId } from '../rpc.ts'

/** How long an answer is stored until the node that asked requests it. */
const KEPT_MS = 10_000
const MOST_KEPT = 1_000
const LONGEST_ID = 200

export type RelayedMessages = {
  /** A client cancelled a request that is not answered here. */
  cancelled(clientKey: string, id: RpcId): void
  /** A client answered a question that was not asked here. */
  replied(caller: Caller, clientKey: string, id: Json | undefined, result: Json | undefined): void
}

export type RelayedMessagesSetup = {
  readonly gate: McpPorts
  readonly inProgress: RequestsInProgress
  readonly questions: Questions
  readonly onFault: (error: unknown) => void
}

type Kept = {
  readonly caller: Caller
  readonly clientKey: string
  readonly id: string
  readonly result: Json | undefined
}

/** Messages of a client that arrived at the wrong node. */
export function relayedMessages({ gate, inProgress, questions, onFault }: RelayedMessagesSetup): RelayedMessages {
  const { relay } = gate
  const kept = new Map<string, Kept>()

  /** Stored only when a node asks for it, so that answers to questions that were never asked use no space. */
  async function hand(by: string): Promise<void> {
    const reply = kept.get(by)
    if (reply === undefined) return
    kept.delete(by)
    const { caller, clientKey, id, result } = reply
    const text = await relay.store(caller, JSON.stringify({ result }))
    if (text !== undefined) relay.publish({ is: 'reply', client: clientKey, id, user: caller.user, text })
  }

  async function take({ client, id, user, text }: Extract<RelayNotice, { is: 'reply' }>): Promise<void> {
    if (!questions.isOpen(client, id)) return
    const stored = await relay.load({ user }, text)
    if (stored !== undefined) questions.acceptAnswer(client, id, (JSON.parse(stored) as { result?: Json }).result)
  }

  relay.onNotice((notice) => {
    switch (notice.is) {
      case 'cancelled':
        return void inProgress.cancel(notice.client, notice.id)
      case 'replied':
        return questions.isOpen(notice.client, notice.id) && relay.publish({ is: 'wanted', by: notice.by })
      case 'wanted':
        return void hand(notice.by).catch(onFault)
      case 'reply':
        return void take(notice).catch(onFault)
      default:
        return undefined
    }
  })
  return {
    cancelled(client, id) {
      if (String(id).length <= LONGEST_ID) relay.publish({ is: 'cancelled', client, id })
    },
    replied(caller, clientKey, id, result) {
      if (!isQuestionId(id) || kept.size >= MOST_KEPT) return
      const by = randomBytes(12).toString('base64url')
      kept.set(by, { caller, clientKey, id, result })
      setTimeout(() => kept.delete(by), KEPT_MS).unref()
      relay.publish({ is: 'replied', client: clientKey, id, by })
    },
  }
}
