import { randomBytes } from 'node:crypto'
import type { Config } from '../../kernel/contract/config.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { PrepareGuest, Preparation } from '../../kernel/ports/prepare-guest.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { httpHub } from './http-hub.ts'
import { hubApprovalId } from './hub-ids.ts'
import { openHubKeys, openPinnedKeys } from './hub-keys.ts'
import { nodeRoom } from './node-room.ts'
import { nodesSeen, type NodesSeen } from './nodes-seen.ts'
import type { AttachedHub, HubKeys, NodeRoom } from './ports.ts'
import { roomHub } from './room-hub.ts'
import { reportEarlier, type ReportPorts } from './report-to-hub.ts'
import { processReply, type ProcessReplyPorts } from './process-reply.ts'
import { callerIdentity, type CallerNames } from '../../kernel/contract/caller-identity.ts'
import { type TakeReportPorts, takeReport } from './take-report.ts'
import { type TakeRequestPorts, takeRequest } from './take-request.ts'
import { issueLines } from '../../kernel/contract/issue-lines.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { NodeMessage } from './hub.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import type { Notices } from '../../kernel/ports/notices.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import { isOfNode, signReply, type SignPorts } from './sign-reply.ts'

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

type FollowPorts = ProcessReplyPorts & ReportPorts & { readonly onFault: (error: unknown) => void }

const MOST_ASKED = 500

/** Processes the hub's decisions as long as the gate runs. `wake`: a request was sent. */
async function followHub(deps: FollowPorts, hub: AttachedHub): Promise<{ wake(): void; stop(): Promise<void> }> {
  await reportEarlier(deps)
  return hub.link.follow({
    async pending() {
      try {
        const held = await deps.tables.list('approvals', { state: 'pending' }, { limit: MOST_ASKED })
        return held.map(({ row }) => row.approval_id)
      } catch (error) {
        deps.onFault(error)
        return []
      }
    },
    async take(reply) {
      try {
        return (await processReply(deps, reply)) === 'taken'
      } catch (error) {
        deps.onFault(error)
        return false
      }
    },
  })
}

type AnswerNodesPorts = TakeRequestPorts &
  TakeReportPorts &
  WatchDecisionsPorts & { readonly nodeRoom: NodeRoom | undefined; readonly nodesSeen: NodesSeen }

/** Older messages are ignored: a node that is still waiting asks again. */
const RECENT_MS = 600_000

/** Passes the messages of nodes in a control room to the hub, and posts the hub's signed answers there. Returns a function that stops it. */
function answerNodes(deps: AnswerNodesPorts, onFault: (error: unknown) => void): () => Promise<void> {
  const { nodeRoom: room, nodesSeen: seen } = deps
  if (room === undefined) return () => Promise.resolve()
  const stopFollowing = room.follow(async ({ text, sender, event_id, at }) => {
    const node = room.nodes.get(sender)
    if (node === undefined || at < deps.clock() - RECENT_MS) return
    try {
      const replies = await takeMessage(deps, seen.note(node, at), text)
      if (replies.ok && replies.value.length > 0)
        await room.say(replies.value, `answers ${node.id}`, `answer ${event_id}`)
      else if (!replies.ok) onFault(replies.problem.code)
    } catch (error) {
      onFault(error)
    }
  })
  const ours = new Set([...room.nodes.values()].map(callerIdentity))
  const stopListening = watchDecisions(deps, ({ node, reply }) => {
    if (ours.has(callerIdentity(node))) void room.say([reply], `decided for ${node.id}`)
  })
  return async () => {
    stopListening()
    await stopFollowing()
  }
}

/** A message of a node as text, from a transport without routes. `alive` needs no answer: the hub has noted when it was sent. */
async function takeMessage(
  deps: TakeRequestPorts & TakeReportPorts,
  node: Caller,
  text: string,
): Promise<Result<readonly string[]>> {
  const json = readJson(text)
  if (!json.ok) return json
  const read = NodeMessage.safeParse(json.value)
  if (!read.success) {
    return refuse('request.invalid', { paths: issueLines(read.error.issues, 'the message').slice(0, 10).join('; ') })
  }
  if (read.data.is === 'alive') return ok([])
  return read.data.is === 'request' ? takeRequest(deps, node, read.data) : takeReport(deps, node, read.data)
}

type WatchDecisionsPorts = SignPorts & {
  readonly tables: Tables
  readonly notices: Pick<Notices, 'subscribe'>
}

type DecidedForNode = { readonly node: CallerNames; readonly reply: string }

/** Reports decisions about requests of nodes as they are made. Only a hint: a missed one is asked for. Returns a function that stops it. */
function watchDecisions(deps: WatchDecisionsPorts, listener: (decided: DecidedForNode) => void): () => void {
  const look = async (id: string): Promise<void> => {
    const row = (await deps.tables.row('approvals', id))?.row
    if (row === undefined || !isOfNode(row) || row.state === 'pending') return
    const reply = await signReply(deps, row)
    if (reply.ok && reply.value !== undefined) listener({ node: row.caller, reply: reply.value })
  }
  return deps.notices.subscribe('rows', (rows) => {
    for (const { table, id } of rows) if (table === 'approvals') void look(id).catch(() => undefined)
  })
}
