import type { McpPorts } from './mcp-ports.ts'
import { capabilitiesOf } from './answer-request.ts'
import { followedTasks } from './answer-tasks.ts'
import { openEventStream } from './event-stream.ts'
import {
  commonHeaders,
  headerOf,
  clientKeyOf,
  acceptsType,
  writeRefusal,
  type ClientContext,
  type HttpContext,
} from './http-context.ts'
import type { McpRequest } from './read-message.ts'
import type { RelayedStreams } from './2025/relayed-streams.ts'
import type { ResumableStreams } from './2025/resumable-streams.ts'
import { refusalFor, refusalOf, RPC } from './rpc.ts'
import { threadOf, type McpSessions } from './mcp-sessions.ts'
import {
  acknowledgement,
  subscriptionEnd,
  SUBSCRIPTION_KEY,
  wantsAll,
  isEmpty,
  wantsOf,
  type ListeningStreams,
} from './listening-streams.ts'
import { placeIn } from './2025/stream-names.ts'
import { shownTo } from './surfaces.ts'
import { updated, urisIn, type WatchedResources } from './watched-resources.ts'

export type McpListeningPorts = {
  readonly gate: McpPorts
  readonly sessions: McpSessions
  readonly listening: ListeningStreams
  readonly watched: WatchedResources
  readonly resumable: ResumableStreams
  readonly relayed: RelayedStreams
  /** A key may be revoked while a stream of its owner is open. */
  readonly stillAllowed: (context: HttpContext) => () => Promise<boolean>
}

/** Opens long-lived streams: the notification stream of a session, the rest of an interrupted stream, and a subscription. */
export function listeningDoor({
  gate,
  sessions,
  listening,
  watched,
  resumable,
  relayed,
  stillAllowed,
}: McpListeningPorts) {
  async function openListening(client: ClientContext): Promise<void> {
    const { request, response, caller, session } = client
    if (!acceptsType(request, 'text/event-stream'))
      return writeRefusal(client, null, refusalOf(RPC.server, 'request.not_acceptable'))
    const room = listening.room(caller)
    if (!room.ok) return writeRefusal(client, null, refusalFor(RPC.server, room.problem))
    const last_id = headerOf(request, 'last-event-id')
    if (last_id !== undefined) return resume(client, last_id)
    const stream = openEventStream(response, commonHeaders(client), stillAllowed(client))
    const wants = wantsAll(capabilitiesOf(gate, shownTo(gate, caller, client.surface), 'old'))
    const level = () => sessions.logLevel({ caller, session })
    const leave = listening.attach(caller, stream, wants, { session, level })
    const stopWatching = watched.attach(client, stream)
    response.once('close', () => {
      leave()
      stopWatching()
    })
  }

  async function openSubscription(client: ClientContext, { id, params, meta }: McpRequest): Promise<void> {
    const { request, response, caller, session, trace } = client
    if (!acceptsType(request, 'text/event-stream'))
      return writeRefusal(client, id, refusalOf(RPC.server, 'request.not_acceptable'))
    const capabilities = capabilitiesOf(gate, shownTo(gate, caller, client.surface), 'new')
    const wants = wantsOf(params['notifications'], capabilities)
    const uris = urisIn(params['notifications'], capabilities)
    if (wants === undefined || uris === undefined)
      return writeRefusal(client, id, refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: 'notifications' }))
    const tasks = await followedTasks(gate, caller, params['notifications'], meta)
    if ('error' in tasks) return writeRefusal(client, id, tasks)
    const room = listening.room(caller)
    if (!room.ok) return writeRefusal(client, id, refusalFor(RPC.server, room.problem))
    const early = new Set<string>()
    let notify = (uri: string): void => void early.add(uri)
    const thread = threadOf(session, meta)
    if (!thread.ok) return writeRefusal(client, id, refusalFor(RPC.invalid_params, thread.problem))
    const about = { ...(thread.value === undefined ? {} : { thread: thread.value }), trace }
    const watching = await watched.watchAll(caller, uris, about, (uri) => notify(uri))
    response.once('close', watching.stop)
    if (response.destroyed) return watching.stop()
    const stream = openEventStream(response, commonHeaders(client), stillAllowed(client))
    stream.send(JSON.stringify(acknowledgement(id, wants, watching.uris, tasks)))
    if (isEmpty(wants) && watching.uris.length + tasks.size === 0) return stream.end(subscriptionEnd(gate, id))
    notify = (uri) => stream.send(updated(uri, { [SUBSCRIPTION_KEY]: id }))
    for (const uri of early) notify(uri)
    response.once('close', listening.attach(caller, stream, wants, { id, tasks, thread: thread.value }))
  }

  async function resume(client: ClientContext, last_id: string): Promise<void> {
    const { response, caller, session } = client
    const unknown = () => writeRefusal(client, null, refusalOf(RPC.server, 'mcp.event_unknown'))
    const open = () => openEventStream(response, commonHeaders(client), stillAllowed(client))
    const place = placeIn(last_id)
    if (place === undefined) return unknown()
    const leave = resumable.resume(clientKeyOf(caller, session), place, open)
    if (leave !== undefined) return void response.once('close', leave)
    // Another node may be answering the request, or may have answered it before it stopped.
    const isResumed = await relayed.resume(client, place, open)
    if (!isResumed && !response.headersSent && !response.destroyed) unknown()
  }

  return { openListening, openSubscription }
}
