import type { Gate } from '../../commands/gate.ts'
import { capabilitiesOf } from './answer-request.ts'
import { followedTasks } from './answer-tasks.ts'
import { openEventStream } from './event-stream.ts'
import { commonHeaders, headerOf, speakerOf, takes, writeRefusal, type Guest, type Visit } from './http-visit.ts'
import type { Request } from './read-message.ts'
import type { RelayedStreams } from './relayed-streams.ts'
import type { ResumableStreams } from './resumable-streams.ts'
import { refusalFor, refusalOf, RPC } from './rpc.ts'
import { threadOf, type Sessions } from './sessions.ts'
import {
  acknowledgement,
  goodbye,
  SUBSCRIPTION_KEY,
  wantsAll,
  wantsNothing,
  wantsOf,
  type StandingStreams,
} from './standing-streams.ts'
import { placeIn } from './stream-names.ts'
import { shownTo } from './surfaces.ts'
import { updated, urisIn, type WatchedResources } from './watched-resources.ts'

export type StandingDeps = {
  readonly gate: Gate
  readonly sessions: Sessions
  readonly standing: StandingStreams
  readonly watched: WatchedResources
  readonly resumable: ResumableStreams
  readonly relayed: RelayedStreams
  /** A key may be revoked while a stream of its owner is open. */
  readonly welcome: (visit: Visit) => () => Promise<boolean>
}

/** Opens what stays open: the stream of an older session, or the rest of one that was lost, and a newer client's subscription. */
export function standingDoor({ gate, sessions, standing, watched, resumable, relayed, welcome }: StandingDeps) {
  async function openStanding(guest: Guest): Promise<void> {
    const { request, response, caller, session } = guest
    if (!takes(request, 'text/event-stream'))
      return writeRefusal(guest, null, refusalOf(RPC.server, 'request.not_acceptable'))
    const room = standing.room(caller)
    if (!room.ok) return writeRefusal(guest, null, refusalFor(RPC.server, room.problem))
    const last_id = headerOf(request, 'last-event-id')
    if (last_id !== undefined) return resume(guest, last_id)
    const stream = openEventStream(response, commonHeaders(guest), welcome(guest))
    const wants = wantsAll(capabilitiesOf(gate, shownTo(gate, caller, guest.surface), 'old'))
    const level = () => sessions.logLevel(speakerOf(caller, session))
    const leave = standing.attach(caller, stream, wants, { session, level })
    const unhear = watched.attach(guest, stream)
    response.once('close', () => {
      leave()
      unhear()
    })
  }

  async function openSubscription(guest: Guest, { id, params, meta }: Request): Promise<void> {
    const { request, response, caller, session, trace } = guest
    if (!takes(request, 'text/event-stream'))
      return writeRefusal(guest, id, refusalOf(RPC.server, 'request.not_acceptable'))
    const capabilities = capabilitiesOf(gate, shownTo(gate, caller, guest.surface), 'new')
    const wants = wantsOf(params['notifications'], capabilities)
    const uris = urisIn(params['notifications'], capabilities)
    if (wants === undefined || uris === undefined)
      return writeRefusal(guest, id, refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: 'notifications' }))
    const tasks = await followedTasks(gate, caller, params['notifications'], meta)
    if ('error' in tasks) return writeRefusal(guest, id, tasks)
    const room = standing.room(caller)
    if (!room.ok) return writeRefusal(guest, id, refusalFor(RPC.server, room.problem))
    const early = new Set<string>()
    let tell = (uri: string): void => void early.add(uri)
    const thread = threadOf(session, meta)
    if (!thread.ok) return writeRefusal(guest, id, refusalFor(RPC.invalid_params, thread.problem))
    const about = { ...(thread.value === undefined ? {} : { thread: thread.value }), trace }
    const watching = await watched.watchAll(caller, uris, about, (uri) => tell(uri))
    response.once('close', watching.stop)
    if (response.destroyed) return watching.stop()
    const stream = openEventStream(response, commonHeaders(guest), welcome(guest))
    stream.send(JSON.stringify(acknowledgement(id, wants, watching.uris, tasks)))
    if (wantsNothing(wants) && watching.uris.length + tasks.size === 0) return stream.end(goodbye(gate, id))
    tell = (uri) => stream.send(updated(uri, { [SUBSCRIPTION_KEY]: id }))
    for (const uri of early) tell(uri)
    response.once('close', standing.attach(caller, stream, wants, { id, tasks, thread: thread.value }))
  }

  async function resume(guest: Guest, last_id: string): Promise<void> {
    const { response, caller, session } = guest
    const unknown = () => writeRefusal(guest, null, refusalOf(RPC.server, 'mcp.event_unknown'))
    const open = () => openEventStream(response, commonHeaders(guest), welcome(guest))
    const place = placeIn(last_id)
    if (place === undefined) return unknown()
    const leave = resumable.resume(speakerOf(caller, session), place, open)
    if (leave !== undefined) return void response.once('close', leave)
    // Another node may answer the request, or has answered it before it ended.
    const isResumed = await relayed.resume(guest, place, open)
    if (!isResumed && !response.headersSent && !response.destroyed) unknown()
  }

  return { openStanding, openSubscription }
}
