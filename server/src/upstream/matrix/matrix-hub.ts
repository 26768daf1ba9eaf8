import type { HubLink } from '../../commands/ports/hub.ts'
import { FROM_HUB, FROM_NODE, readReplies } from './hub-texts.ts'
import type { ControlRoom } from './control-room.ts'

export type MatrixHubSettings = {
  readonly room: ControlRoom
  /** The hub's user. Messages of anybody else are ignored. */
  readonly hub: string
  readonly clock: () => number
}

/** Older messages are useless: the node asks again, and the hub signs again. */
const RECENT_MS = 600_000

/** A hub over a control room: the same messages and decisions as over HTTP, as events. */
export function matrixHub({ room, hub, clock }: MatrixHubSettings): HubLink {
  return {
    async send(message) {
      try {
        const says = message.is === 'request' ? `asks about ${message.tool}` : `reports ${message.state}`
        await room.send(FROM_NODE, JSON.stringify(message), `${says} (${message.approval_id})`)
        return { is: 'sent', replies: [] }
      } catch (error) {
        return { is: 'failed', why: error instanceof Error ? `the control room: ${error.message}` : 'the control room' }
      }
    },
    follow({ take }) {
      const stop = room.follow(FROM_HUB, async (text, { sender, at }) => {
        if (sender !== hub || at < clock() - RECENT_MS) return
        for (const reply of readReplies(text)) await take(reply)
      })
      return { wake: () => {}, stop }
    },
  }
}
