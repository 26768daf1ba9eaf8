import { secretOf } from '../../adapters/upstream/server-config.ts'
import { ok, refuse } from '../../kernel/contract/problems.ts'
import type { OpenControlRoom, ControlRoom } from '../../kernel/ports/control-room.ts'
import type { PrepareGuest, Preparation } from '../../kernel/ports/prepare-guest.ts'
import { matrixAccount, type MatrixAccount } from './matrix-account.ts'
import { openMatrixConnection, type RoomEvent } from './matrix-connection.ts'
import { roomTransports } from './matrix-transport.ts'
import { isJsonObject } from '../../kernel/contract/json.ts'

export const prepareMatrix: PrepareGuest = (given) =>
  ok({ ports: { openControlRoom: controlRooms(given), openRoomTransport: roomTransports(given) } })

/** Control rooms, each with the secret of its login resolved. Nothing is sent before one is used. */
const controlRooms =
  ({ folder, hangingUp, log }: Preparation): OpenControlRoom =>
  ({ homeserver, user, room, token, password }, where) => {
    const secret = secretOf(token ?? password ?? '', folder, process.env)
    if (secret === undefined || secret === '')
      return refuse('config.invalid', {
        paths: `${where}.${token === undefined ? 'password' : 'token'}: the secret is missing`,
      })
    const proof = token === undefined ? { password: secret } : { token: secret }
    const account = matrixAccount(() => openMatrixConnection({ homeserver, user, room, ...proof }))
    return ok(controlRoom({ room, account, stopping: hangingUp, log: (says, about) => log('warn', says, about) }))
  }

type ControlRoomSettings = {
  readonly room: string
  readonly account: MatrixAccount
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

const RETRY_MS = 2_000
/** A homeserver accepts events of up to 64 KiB. */
const LONGEST = 60_000

function controlRoom({ room, account, stopping, log }: ControlRoomSettings): ControlRoom {
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
