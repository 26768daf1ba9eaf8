import { randomBytes } from 'node:crypto'
import type { Config } from '../../kernel/contract/config.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { PrepareGuest, Preparation } from '../../kernel/ports/prepare-guest.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { answerNodes } from './answer-nodes.ts'
import { followHub } from './follow-hub.ts'
import { httpHub } from './http-hub.ts'
import { hubApprovalId } from './hub-ids.ts'
import { openHubKeys, openPinnedKeys } from './hub-keys.ts'
import { nodeRoom } from './node-room.ts'
import { nodesSeen } from './nodes-seen.ts'
import type { AttachedHub, HubKeys, NodeRoom } from './ports.ts'
import { roomHub } from './room-hub.ts'

/** For a node its hub, and for a hub its keys and the room through which nodes reach it. */
export const prepareHub: PrepareGuest = (given) => {
  const { clock, log } = given
  const hub = openHub(given)
  if (!hub.ok) return hub
  const room = openNodeRoom(given)
  if (!room.ok) return room
  let fault = 'the hub did not confirm the request'
  let wake = () => {}
  return ok({
    ports: {
      attachedHub: hub.value,
      ...(hub.value === undefined ? {} : { decidedElsewhere: hub.value }),
      nodeRoom: room.value,
      hubKeys: sharedHubKeys(openHubKeys(given.places.keys), given),
      nodesSeen: nodesSeen(clock),
      nonce: newNonce,
      hubFault: { get: () => fault, set: (why) => (fault = why) },
      wakeHub: () => wake(),
    },
    async start(ports) {
      const stopAnswering = answerNodes(ports, (error) =>
        log('error', 'a message of a node could not be handled', { error: String(error) }),
      )
      if (hub.value === undefined) return stopAnswering
      const onFault = (error: unknown) =>
        log('error', 'an answer of the hub could not be handled', { error: String(error) })
      const followed = await followHub({ ...ports, onFault }, hub.value)
      wake = () => followed.wake()
      return async () => {
        await followed.stop()
        await stopAnswering()
      }
    },
  })
}

/** The hub of a node, with its secret resolved; undefined for a gate that decides by itself. */
function openHub(given: Preparation): Result<AttachedHub | undefined> {
  const settings = given.config.hub
  if (settings === undefined) return ok(undefined)
  const { url, node, key: reference = '', matrix, public_keys, answer_s } = settings
  const where = url ?? matrix?.hub ?? ''
  const common = {
    node,
    where,
    answer_ms: answer_s * 1_000,
    pinned: openPinnedKeys(public_keys),
    linkTo(approval_id: string, here: string) {
      if (url === undefined) return { url: here, hub: where }
      const there = approval_id === '' ? '' : hubApprovalId(given.digest, node, approval_id)
      return { url: `${url.replace(/\/$/, '')}/#/approvals/${there}`, hub: where }
    },
  }
  if (matrix !== undefined) {
    const room = openRoom(given, matrix, 'hub.matrix')
    return room.ok ? ok({ ...common, link: roomHub({ room: room.value, hub: matrix.hub, clock: Date.now }) }) : room
  }
  const key = secretOf(reference, given.folder, process.env)
  if (url === undefined || key === undefined || key === '')
    return refuse('config.invalid', { paths: 'hub.key: the secret is missing' })
  return ok({ ...common, link: httpHub({ url, key, stopping: given.hangingUp }) })
}

/** Where nodes reach this hub by chat; undefined without one. */
function openNodeRoom(given: Preparation): Result<NodeRoom | undefined> {
  const { matrix } = given.config.nodes
  if (matrix === undefined) return ok(undefined)
  const room = openRoom(given, matrix, 'nodes.matrix')
  if (!room.ok) return room
  const nodes = new Map(
    Object.entries(matrix.nodes).map(
      ([sender, name]) => [sender, { kind: 'node', id: `node:${name}`, user: name }] as const,
    ),
  )
  return ok(nodeRoom({ room: room.value, nodes, log: (says, about) => given.log('warn', says, about) }))
}

type RoomSettings = NonNullable<Config['nodes']['matrix'] | NonNullable<Config['hub']>['matrix']>

function openRoom({ ports }: Preparation, settings: RoomSettings, where: string) {
  const open = ports.openControlRoom
  return open === undefined
    ? refuse('config.invalid', { paths: `${where}: this build has no guest that opens such a room` })
    : open(settings, where)
}

/** A change of the keys reaches the other nodes of a store too. */
const sharedHubKeys = (keys: HubKeys, { changeKeys }: Preparation): HubKeys => ({
  ...keys,
  prepare: () => changeKeys(() => keys.prepare()),
  activate: () => changeKeys(() => keys.activate()),
})

const newNonce = (): string => randomBytes(16).toString('hex')
