import { secretOf } from '../../adapters/upstream/server-config.ts'
import { ok, refuse } from '../../kernel/contract/problems.ts'
import type { OpenControlRoom } from '../../kernel/ports/control-room.ts'
import type { PrepareGuest, Preparation } from '../../kernel/ports/prepare-guest.ts'
import { controlRoom } from './control-room.ts'
import { matrixAccount } from './matrix-account.ts'
import { openMatrixSession } from './matrix-session.ts'
import { roomTransports } from './matrix-transport.ts'

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
    const account = matrixAccount(() => openMatrixSession({ homeserver, user, room, ...proof }))
    return ok(controlRoom({ room, account, stopping: hangingUp, log: (says, about) => log('warn', says, about) }))
  }
