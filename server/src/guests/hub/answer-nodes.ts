import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { NodesSeen } from './nodes-seen.ts'
import type { NodeRoom } from './ports.ts'
import { takeMessage } from './take-message.ts'
import type { TakeOutcomeDeps } from './take-outcome.ts'
import type { TakeRequestDeps } from './take-request.ts'
import { watchDecisions, type WatchDecisionsDeps } from './watch-decisions.ts'

export type AnswerNodesDeps = TakeRequestDeps &
  TakeOutcomeDeps &
  WatchDecisionsDeps & { readonly nodeRoom: NodeRoom | undefined; readonly nodesSeen: NodesSeen }

/** Older messages are ignored: a node that is still waiting asks again. */
const RECENT_MS = 600_000

/** Passes the messages of nodes in a control room to the hub, and posts the hub's signed answers there. Returns a function that stops it. */
export function answerNodes(deps: AnswerNodesDeps, onFault: (error: unknown) => void): () => Promise<void> {
  const { nodeRoom: room, nodesSeen: seen } = deps
  if (room === undefined) return () => Promise.resolve()
  const stopFollowing = room.follow(async ({ text, sender, event_id, at }) => {
    const node = room.nodes.get(sender)
    if (node === undefined || at < deps.clock() - RECENT_MS) return
    try {
      const replies = await takeMessage(deps, seen.note(node, at), text)
      if (replies.ok && replies.value.length > 0)
        await room.say(replies.value, `answers ${node.id}`, `answer ${event_id}`)
      else if (!replies.ok) onFault(replies.problem.code)
    } catch (error) {
      onFault(error)
    }
  })
  const ours = new Set([...room.nodes.values()].map(callerIdentity))
  const stopListening = watchDecisions(deps, ({ node, reply }) => {
    if (ours.has(callerIdentity(node))) void room.say([reply], `decided for ${node.id}`)
  })
  return async () => {
    stopListening()
    await stopFollowing()
  }
}
