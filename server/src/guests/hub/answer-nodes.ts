import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { Gate } from '../../main/gate.ts'
import type { NodeRoom } from '../../kernel/ports/hub.ts'

/** Older messages are ignored: a node that is still waiting asks again. */
const RECENT_MS = 600_000

/** Passes the messages of nodes in a control room to the hub, and posts the hub's signed answers there. Returns a function that stops it. */
export function answerNodes(
  gate: Gate,
  room: NodeRoom,
  clock: () => number,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  const stopFollowing = room.follow(async ({ text, sender, event_id, at }) => {
    const node = room.nodes.get(sender)
    if (node === undefined || at < clock() - RECENT_MS) return
    try {
      const replies = await gate.hub.takeMessage(node, text, at)
      if (replies.ok && replies.value.length > 0)
        await room.say(replies.value, `answers ${node.id}`, `answer ${event_id}`)
      else if (!replies.ok) onFault(replies.problem.code)
    } catch (error) {
      onFault(error)
    }
  })
  const ours = new Set([...room.nodes.values()].map(callerIdentity))
  const stopListening = gate.hub.onDecided(({ node, reply }) => {
    if (ours.has(callerIdentity(node))) void room.say([reply], `decided for ${node.id}`)
  })
  return async () => {
    stopListening()
    await stopFollowing()
  }
}
