import type { NodeRoom } from '../../kernel/ports/hub.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { ControlRoom } from './control-room.ts'
import { FROM_HUB, FROM_NODE } from './hub-texts.ts'

export type MatrixNodesSettings = {
  readonly room: ControlRoom
  readonly nodes: ReadonlyMap<string, Caller>
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

/** The control room of a hub: its nodes ask and report in it. */
export function matrixNodes({ room, nodes, log }: MatrixNodesSettings): NodeRoom {
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
