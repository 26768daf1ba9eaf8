import { isJsonObject } from '../../kernel/contract/json.ts'
import type { MatrixAccount } from './matrix-account.ts'
import type { RoomEvent } from './matrix-session.ts'

export type ControlRoomSettings = {
  readonly room: string
  readonly account: MatrixAccount
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

/** A room in which a hub and its nodes exchange messages. Each text is in a named field of its event. */
export interface ControlRoom {
  /** Throws if the homeserver does not accept it. A repetition with the same `txn` is stored once. */
  send(field: string, text: string, says: string, txn?: string): Promise<void>
  /** Reports every text in that field, with its sender, across interruptions of any length. The newest events may be repeated. */
  follow(field: string, onText: (text: string, event: RoomEvent) => Promise<void>): () => Promise<void>
}

const RETRY_MS = 2_000
/** A homeserver accepts events of up to 64 KiB. */
const LONGEST = 60_000

export function controlRoom({ room, account, stopping, log }: ControlRoomSettings): ControlRoom {
  return {
    async send(field, text, says, txn) {
      if (Buffer.byteLength(text) > LONGEST) throw new Error('the message is too large for a chat room')
      const session = await account.session()
      await session.send(
        room,
        'm.room.message',
        { msgtype: 'm.notice', body: says, 'm.mentions': {}, [field]: text },
        txn,
      )
    },

    follow(field, onText) {
      const stopped = new AbortController()
      let unsubscribe = () => {}
      let handling: Promise<void> = Promise.resolve()
      const receiver = (own: string) => (event: RoomEvent) => {
        const text = isJsonObject(event.content) ? event.content[field] : undefined
        if (event.room !== room || event.sender === own || typeof text !== 'string') return
        // In the order of the room.
        const before = handling
        handling = (async () => {
          await before
          await onText(text, event).catch((error: unknown) =>
            log('a message in the control room could not be handled', { error: String(error) }),
          )
        })()
      }
      const begin = async (): Promise<void> => {
        if (stopped.signal.aborted || stopping.aborted) return
        try {
          const session = await account.session()
          unsubscribe = session.listen(receiver(session.user))
          session.onEnded(again)
        } catch (error) {
          const name = error instanceof Error ? error.name : 'unknown'
          log('the control room cannot be reached; retrying', { error: name })
          again()
        }
      }
      const again = () => {
        if (!stopped.signal.aborted) setTimeout(() => void begin(), RETRY_MS).unref()
      }
      void begin()
      return async () => {
        stopped.abort()
        unsubscribe()
        await handling
        await account.close()
      }
    },
  }
}
