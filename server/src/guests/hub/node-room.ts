import type { Caller } from '../../kernel/contract/caller.ts'
import type { ControlRoom } from '../../kernel/ports/control-room.ts'
import type { NodeRoom } from './ports.ts'

/** The fields of messages in a control room: from a node, and from the hub. */
export const FROM_NODE = 'io.sluice.node'
export const FROM_HUB = 'io.sluice.hub'

export type NodeRoomSettings = {
  readonly room: ControlRoom
  readonly nodes: ReadonlyMap<string, Caller>
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

/** The control room of a hub: its nodes ask and report in it. */
export function nodeRoom({ room, nodes, log }: NodeRoomSettings): NodeRoom {
  return {
    nodes,
    async say(replies, says, txn) {
      try {
        await room.send(FROM_HUB, JSON.stringify({ words: replies }), says, txn)
      } catch (error) {
        // The node asks again.
        log('a decision could not be sent to the control room', { error: error instanceof Error ? error.name : '' })
      }
    },
    follow: (onText) =>
      room.follow(FROM_NODE, (text, { sender, event_id, at }) => onText({ text, sender, event_id, at })),
  }
}
