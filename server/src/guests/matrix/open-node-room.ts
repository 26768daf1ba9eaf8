import type { NodeRoom } from '../../kernel/ports/hub.ts'
import type { Config } from '../../kernel/contract/config.ts'
import type { MatrixLogin } from '../hub/hub-settings.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { controlRoom, type ControlRoom } from './control-room.ts'
import { matrixAccount } from './matrix-account.ts'
import { matrixNodes } from './matrix-nodes.ts'
import { openMatrixSession } from './matrix-session.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'

export type RoomDeps = {
  readonly folder: string
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

/** A control room, with the secret resolved. */
export function openControlRoom(
  { homeserver, user, room, token, password }: MatrixLogin,
  where: string,
  { folder, stopping, log }: RoomDeps,
): Result<ControlRoom> {
  const reference = token ?? password ?? ''
  const secret = secretOf(reference, folder, process.env)
  if (secret === undefined || secret === '')
    return refuse('config.invalid', {
      paths: `${where}.${token === undefined ? 'password' : 'token'}: the secret is missing`,
    })
  const proof = token === undefined ? { password: secret } : { token: secret }
  const account = matrixAccount(() => openMatrixSession({ homeserver, user, room, ...proof }))
  return ok(controlRoom({ room, account, stopping, log }))
}

/** Where nodes reach this hub by chat; undefined without one. */
export function openNodeRoom({ matrix }: Config['nodes'], deps: RoomDeps): Result<NodeRoom | undefined> {
  if (matrix === undefined) return ok(undefined)
  const room = openControlRoom(matrix, 'nodes.matrix', deps)
  if (!room.ok) return room
  const nodes = new Map(
    Object.entries(matrix.nodes).map(
      ([sender, name]) => [sender, { kind: 'node', id: `node:${name}`, user: name }] as const,
    ),
  )
  return ok(matrixNodes({ room: room.value, nodes, log: deps.log }))
}
