import type { ControlRoom } from '../../kernel/ports/control-room.ts'
import { WordsAnswer, type NodeAlive } from './hub.ts'
import { FROM_HUB, FROM_NODE } from './node-room.ts'
import type { HubLink } from './ports.ts'

export type RoomHubSettings = {
  readonly room: ControlRoom
  /** The hub's user. Messages of anybody else are ignored. */
  readonly hub: string
  readonly clock: () => number
}

/** Older messages are useless: the node asks again, and the hub signs again. */
const RECENT_MS = 600_000
/** How often a node says that it is running. A hub that restarts reads messages of the last ten minutes, so it finds one. */
const ALIVE_EVERY_MS = 300_000
const ALIVE_RETRY_MS = 15_000

/** A hub over a control room: the same messages and decisions as over HTTP, as events. */
export function roomHub({ room, hub, clock }: RoomHubSettings): HubLink {
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
      const stopAlive = sayAlive(room)
      return {
        wake: () => {},
        async stop() {
          stopAlive()
          await stop()
        },
      }
    },
  }
}

/** A node in a control room sends nothing while it has no request, so it says regularly that it is running. Returns a function that stops it. */
function sayAlive(room: ControlRoom): () => void {
  const message: NodeAlive = { is: 'alive' }
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const say = async (): Promise<void> => {
    const isSent = await room.send(FROM_NODE, JSON.stringify(message), 'is running').then(
      () => true,
      () => false,
    )
    if (!isStopped) timer = setTimeout(() => void say(), isSent ? ALIVE_EVERY_MS : ALIVE_RETRY_MS).unref()
  }
  void say()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

const MOST_REPLIES = 100

/** The decisions in a message of the hub; none if it cannot be read. */
function readReplies(text: string): readonly string[] {
  try {
    const read = WordsAnswer.safeParse(JSON.parse(text))
    return read.success ? read.data.words.slice(0, MOST_REPLIES) : []
  } catch {
    return []
  }
}
