import { randomBytes } from 'node:crypto'
import type { AttachedHub } from '../../kernel/ports/hub.ts'
import type { Config } from '../../kernel/contract/config.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { openPinnedKeys } from './hub-keys.ts'
import { httpHub } from './http-hub.ts'
import { matrixHub } from '../matrix/matrix-hub.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { openControlRoom, type RoomDeps } from '../matrix/open-node-room.ts'

/** The hub of a node, with its secret resolved; undefined for a gate that decides by itself. */
export function openHub(settings: Config['hub'], deps: RoomDeps): Result<AttachedHub | undefined> {
  if (settings === undefined) return ok(undefined)
  const { url, node, key: reference = '', matrix, public_keys, answer_s } = settings
  const common = { node, answer_ms: answer_s * 1_000, pinned: openPinnedKeys(public_keys) }
  const known = url === undefined ? {} : { url }
  if (matrix !== undefined) {
    const room = openControlRoom(matrix, 'hub.matrix', deps)
    if (!room.ok) return room
    const link = matrixHub({ room: room.value, hub: matrix.hub, clock: Date.now })
    return ok({ ...common, ...known, where: url ?? matrix.hub, link })
  }
  const key = secretOf(reference, deps.folder, process.env)
  if (url === undefined || key === undefined || key === '')
    return refuse('config.invalid', { paths: 'hub.key: the secret is missing' })
  return ok({ ...common, url, where: url, link: httpHub({ url, key, stopping: deps.stopping }) })
}

export const newNonce = (): string => randomBytes(16).toString('hex')
