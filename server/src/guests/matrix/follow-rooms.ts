import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { AdmitsInvitation, IncomingMessage, TakeMessage } from '../../kernel/ports/transports.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import type { MatrixConnection, RoomEvent } from './matrix-connection.ts'
import { eventsSince } from './recent-events.ts'

export type FollowRoomsPorts = {
  readonly transport: string
  /** The document whose user this is. */
  readonly agent: string
  readonly session: MatrixConnection
  readonly take: TakeMessage
  readonly admits: AdmitsInvitation
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

const HOUR_MS = 3_600_000
/** Less than the time for which the gate recognizes a repeated message. */
const LONGEST_AWAY_MS = 6 * 24 * HOUR_MS
const RETRY_MS = 1_000
/** Documents change, and with them the rooms they join. */
const INVITATIONS_MS = 5_000
const MOST_HANDLED = 10_000
/** A message that the gate repeatedly fails on does not block the others. */
const MOST_FAILURES = 5

/**
 * Delivers the messages in the rooms of one user, in the order of each room. What the homeserver pushes is only a hint to read
 * the room.
 * INVARIANT: a room is read back to the last delivered message, whatever was missed in between.
 * Returns a function that stops it.
 */
export function followRooms(deps: FollowRoomsPorts): () => Promise<void> {
  const { session, agent, clock, log } = deps
  const mark = `io.sluice.taken.${agent}`
  const last = new Map<string, string>()
  const handled = new Set<string>()
  const lines = new Map<string, Promise<void>>()
  const waiting = new Set<string>()
  const stop = new AbortController()
  const stopped = AbortSignal.any([stop.signal, deps.stopping])

  /** In sequence per room; other rooms do not wait. */
  function enqueue(room: string, work: () => Promise<void>): void {
    const before = lines.get(room) ?? Promise.resolve()
    const next = async () => {
      await before
      await untilDone(work)
    }
    lines.set(room, next())
  }

  async function untilDone(work: () => Promise<void>): Promise<void> {
    while (!stopped.aborted) {
      try {
        return await work()
      } catch (error) {
        if (!stopped.aborted) log('a chat room cannot be read; retrying', { agent, error: nameOf(error) })
        await sleep(RETRY_MS, undefined, { signal: stopped }).catch(() => {})
      }
    }
  }

  function look(room: string): void {
    if (waiting.has(room)) return
    waiting.add(room)
    enqueue(room, async () => {
      waiting.delete(room)
      await readRoom(room)
    })
  }

  async function readRoom(room: string): Promise<void> {
    const until = last.get(room) ?? eventIn(await session.note(room, mark))
    const oldest = clock() - (until === undefined ? HOUR_MS : LONGEST_AWAY_MS)
    const found: RoomEvent[] = []
    const cut = () => log('a chat room has too many new messages; the older ones are skipped', { agent, room })
    for await (const event of eventsSince(session, room, oldest, cut)) {
      if (event.event_id === until) break
      found.push(event)
    }
    for (const event of found.toReversed()) if (!(await deliver(event))) return
    const [newest] = found
    if (newest === undefined) return
    last.set(room, newest.event_id)
    await session.writeNote(room, mark, { event_id: newest.event_id })
  }

  /** False if the gate stops first. */
  async function deliver(event: RoomEvent): Promise<boolean> {
    if (handled.has(event.event_id)) return true
    // The key may still arrive. Then the event is reported again.
    if (event.type === 'm.room.encrypted') return true
    const message = messageIn(event, session, deps)
    if (message !== undefined && !(await isTaken(message))) return false
    if (handled.size >= MOST_HANDLED) handled.clear()
    handled.add(event.event_id)
    return true
  }

  async function isTaken(message: IncomingMessage): Promise<boolean> {
    for (let failures = 0; failures < MOST_FAILURES;) {
      try {
        if ((await deps.take(message)) !== 'later') return true
      } catch (error) {
        failures += 1
        log('a message could not be processed', { agent, event: message.id, error: nameOf(error) })
      }
      await sleep(RETRY_MS, undefined, { signal: stopped }).catch(() => {})
      if (stopped.aborted) return false
    }
    return true
  }

  let isAccepting = false
  async function accept(): Promise<void> {
    if (isAccepting) return
    isAccepting = true
    try {
      for (const invitation of session.invitations()) {
        if (!(await deps.admits(agent, invitation))) continue
        await session.join(invitation.room)
        look(invitation.room)
      }
    } catch (error) {
      log('an invitation to a chat room could not be accepted', { agent, error: nameOf(error) })
    } finally {
      isAccepting = false
    }
  }

  const unsubscribe = session.listen((event) => {
    // Only a device that was present can decrypt, so the history of an encrypted room has less than live events.
    if (event.encrypted && event.type !== 'm.room.encrypted')
      enqueue(event.room, async () => void (await deliver(event)))
    else look(event.room)
  })
  for (const room of session.rooms()) look(room)
  void accept()
  const invitations = setInterval(() => void accept(), INVITATIONS_MS)
  return async () => {
    clearInterval(invitations)
    unsubscribe()
    stop.abort()
    await Promise.all(lines.values())
  }
}

/** The sender is the one the homeserver names. Edits, notices and the user's own messages are ignored. */
function messageIn(
  { event_id, room, sender, type, content, encrypted }: RoomEvent,
  session: MatrixConnection,
  { transport, agent }: FollowRoomsPorts,
): IncomingMessage | undefined {
  const { msgtype, body } = content
  const relation = isJsonObject(content['m.relates_to']) ? content['m.relates_to'] : {}
  if (type !== 'm.room.message' || msgtype !== 'm.text' || typeof body !== 'string') return undefined
  if (sender === session.user || relation['rel_type'] === 'm.replace') return undefined
  const directed = session.isForTwo(room) || isMentioned(content, session.user)
  return { transport, id: event_id, agent, room, sender, text: body, encrypted, directed }
}

function isMentioned(content: JsonObject, user: string): boolean {
  const mentions = content['m.mentions']
  const named = isJsonObject(mentions) ? mentions['user_ids'] : undefined
  return Array.isArray(named) && named.includes(user)
}

const eventIn = (note: JsonObject | undefined): string | undefined =>
  typeof note?.['event_id'] === 'string' ? note['event_id'] : undefined
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')
