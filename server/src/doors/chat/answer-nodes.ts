import type { Gate } from '../../commands/gate.ts'
import type { NodeRoom } from '../../commands/ports/hub.ts'

/** An old message of a node is history: the node asks again for as long as it waits. */
const RECENT_MS = 600_000

/** Hands what nodes leave in a control room to the hub, and leaves there what the hub signs. Returns how to stop. */
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
      const words = await gate.hub.takeMessage(node, text)
      if (words.ok && words.value.length > 0) await room.say(words.value, `answers ${node.id}`, `answer ${event_id}`)
      else if (!words.ok) onFault(words.problem.code)
    } catch (error) {
      onFault(error)
    }
  })
  const names = new Set([...room.nodes.values()].map(({ id }) => id))
  const stopHearing = gate.hub.onDecided(({ node, word }) => {
    if (names.has(`node:${node}`)) void room.say([word], `decided for node:${node}`)
  })
  return async () => {
    stopHearing()
    await stopFollowing()
  }
}
