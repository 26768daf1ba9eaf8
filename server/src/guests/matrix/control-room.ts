import { isJsonObject } from '../../kernel/contract/json.ts'
import type { ControlRoom } from '../../kernel/ports/control-room.ts'
import type { MatrixAccount } from './matrix-account.ts'
import type { RoomEvent } from './matrix-session.ts'

export type ControlRoomSettings = {
  readonly room: string
  readonly account: MatrixAccount
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
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
