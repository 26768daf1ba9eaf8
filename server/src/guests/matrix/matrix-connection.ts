import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientEvent, MatrixClient, MatrixEvent } from 'matrix-js-sdk'
import type { JsonObject } from '../../kernel/contract/json.ts'

/** The settings of one session at a homeserver. */
export type MatrixSettings = {
  /**
   * The only room that the session uses; it joins it. If that room is encrypted, the session is too. Without a room, a session with
   * a password can use encrypted and other rooms.
   */
  readonly room?: string
  readonly homeserver: string
  readonly user: string
  /** An access token, or a password. With a password each start is a new device, which encrypted rooms require. */
  readonly token?: string
  readonly password?: string
}

/** The parts of a room event that are used here. An event that cannot be decrypted keeps the type `m.room.encrypted`. */
export type RoomEvent = {
  readonly event_id: string
  readonly room: string
  readonly sender: string
  readonly at: number
  readonly type: string
  readonly content: JsonObject
  /** Whether it was sent encrypted. */
  readonly encrypted: boolean
}

export type Invitation = { readonly room: string; readonly by: string }

export interface MatrixConnection {
  readonly user: string
  /** A message that is sent again with the same `txn` is stored once. */
  send(room: string, type: 'm.room.message', content: object, txn?: string): Promise<string>
  /** One event, by its id. */
  event(room: string, event_id: string): Promise<RoomEvent | undefined>
  /** The newest events of a room, newest first, page by page. */
  history(room: string, page?: number): AsyncGenerator<RoomEvent>
  /** The rooms that the user is in. */
  rooms(): readonly string[]
  invitations(): readonly Invitation[]
  join(room: string): Promise<void>
  /** Whether the room has exactly one other member. */
  isForTwo(room: string): boolean
  /** This user's private data about a room, stored at the homeserver (room account data). */
  note(room: string, type: string): Promise<JsonObject | undefined>
  writeNote(room: string, type: string, content: JsonObject): Promise<void>
  /** Calls back once when the homeserver no longer accepts the session. */
  onEnded(ended: () => void): void
  /**
   * Reports the newest events of the joined rooms, then every new one. An encrypted event may be reported twice. Returns a
   * function that stops it.
   */
  listen(onEvent: (event: RoomEvent) => void): () => void
  close(): Promise<void>
}

const NEWEST = 100
/** How long closing a session waits for messages that are being encrypted and sent. */
const LAST_SENDS_MS = 2_000
const NEEDS_PASSWORD = 'the room is encrypted, which needs `password` instead of `token`'
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, getChild: () => silent }

/**
 * Logs in at a homeserver. Throws if it does not answer or rejects the login. The library is loaded here, so that a gate without a
 * chat never loads it.
 */
export async function openMatrixConnection(settings: MatrixSettings): Promise<MatrixConnection> {
  const sdk = await import('matrix-js-sdk')
  const { logger } = await import('matrix-js-sdk/lib/logger.js')
  beSilent(logger as unknown as LibraryLog)
  const { homeserver: baseUrl, token, password } = settings
  const known = token === undefined ? await logIn() : await whoIs(token)
  const client = sdk.createClient({ baseUrl, logger: silent, ...known })
  const isNewDevice = token === undefined
  const canEncrypt = settings.room === undefined ? isNewDevice : await encrypts(client, settings.room)
  // Keys are only in memory, so each process needs a new device.
  if (canEncrypt && !isNewDevice) throw new Error(NEEDS_PASSWORD)
  if (canEncrypt) {
    await client.initRustCrypto({ useIndexedDB: false })
    handleStoppedRequests(client)
  }

  async function logIn() {
    const asked = sdk.createClient({ baseUrl, logger: silent })
    const identifier = { type: 'm.id.user', user: settings.user }
    const answer = await asked.loginRequest({
      type: 'm.login.password',
      identifier,
      password: password ?? '',
      initial_device_display_name: 'Sluice',
    })
    return { accessToken: answer.access_token, userId: answer.user_id, deviceId: answer.device_id }
  }
  async function whoIs(accessToken: string) {
    const { user_id, device_id } = await sdk.createClient({ baseUrl, accessToken, logger: silent }).whoami()
    return { accessToken, userId: user_id, ...(device_id === undefined ? {} : { deviceId: device_id }) }
  }

  const unfinished = new Set<Promise<unknown>>()
  let isClosed = false
  const waiting: RoomEvent[] = []
  const queue = (event: RoomEvent) => void waiting.push(event)
  let deliver: (event: RoomEvent) => void = queue
  let delivered: Promise<void> = Promise.resolve()
  const read = async (event: MatrixEvent, before: Promise<void>) => {
    await before
    const one = await readEvent(client, event)
    if (one !== undefined) deliver(one)
  }
  const receive = (event: MatrixEvent) => {
    delivered = read(event, delivered)
  }
  client.on(sdk.RoomEvent.Timeline, (event, _room, isOld) => {
    if (isOld === true) return
    receive(event)
    // The key may arrive after the message.
    if (event.isEncrypted()) event.once(sdk.MatrixEventEvent.Decrypted, receive)
  })
  await prepared(sdk, client)

  return {
    user: known.userId,
    async send(room, type, content, txn) {
      if (await isEncryptedRoom(client, room)) {
        if (!canEncrypt) throw new Error(NEEDS_PASSWORD)
        // The library does not resend a failed message. In an encrypted room a repeated message may be stored twice.
        if (isClosed) throw new Error('the session is closed')
        const sending = client.sendEvent(room, type as never, content as never)
        unfinished.add(sending)
        return (await sending.finally(() => unfinished.delete(sending))).event_id
      }
      const path = `/rooms/${encodeURIComponent(room)}/send/${type}/${encodeURIComponent(txn ?? client.makeTxnId())}`
      const sent = await client.http.authedRequest<{ event_id: string }>(sdk.Method.Put, path, undefined, content)
      return sent.event_id
    },
    event: (room, event_id) => oneEvent(client, room, event_id),
    history: (room, page) => historyOf(client, room, page),
    rooms: () => roomsWhere(client, 'join').map(({ roomId }) => roomId),
    invitations: () =>
      roomsWhere(client, 'invite').map((room) => ({ room: room.roomId, by: room.getDMInviter() ?? '' })),
    async join(room) {
      await client.joinRoom(room)
    },
    isForTwo: (room) => client.getRoom(room)?.getInvitedAndJoinedMemberCount() === 2,
    note: (room, type) => noteOf(client, room, type),
    async writeNote(room, type, content) {
      await client.setRoomAccountData(room, type as never, content as never)
    },
    onEnded: (ended) => void client.once(sdk.HttpApiEvent.SessionLoggedOut, () => ended()),
    listen(onEvent) {
      for (const event of waiting.splice(0)) onEvent(event)
      deliver = onEvent
      return () => (deliver = queue)
    },
    async close() {
      isClosed = true
      // A message that is being encrypted when the client stops would be lost.
      await Promise.race([Promise.allSettled(unfinished), sleep(LAST_SENDS_MS, undefined, { ref: false })])
      client.stopClient()
      if (isNewDevice) await client.logout(false).catch(() => {})
    },
  }
}

/** Nothing is sent before the first answer: until then the library does not know that a room is encrypted. */
async function prepared(sdk: { readonly ClientEvent: typeof ClientEvent }, client: MatrixClient): Promise<void> {
  const first = new Promise<void>((resolve, reject) => {
    const onSync = (state: string): void => {
      if (state !== 'PREPARED' && state !== 'ERROR') return
      client.off(sdk.ClientEvent.Sync, onSync)
      if (state === 'PREPARED') resolve()
      else reject(new Error('the homeserver does not answer'))
    }
    client.on(sdk.ClientEvent.Sync, onSync)
  })
  await client.startClient({ initialSyncLimit: NEWEST })
  try {
    await first
  } catch (error) {
    client.stopClient()
    throw error
  }
}

type RequestLoop = { doProcessOutgoingRequests(): Promise<void> }

/**
 * After each encrypted send the library starts a loop of requests without awaiting it. If the session is closed at that moment, the
 * rejection is unhandled and would end the process. Code that awaits the loop still gets the rejection.
 */
function handleStoppedRequests(client: MatrixClient): void {
  const loop = (client.getCrypto() as { outgoingRequestsManager?: RequestLoop } | undefined)?.outgoingRequestsManager
  if (loop === undefined)
    throw new Error('matrix-js-sdk has no loop of outgoing requests: its version is not supported')
  const start = loop.doProcessOutgoingRequests.bind(loop)
  loop.doProcessOutgoingRequests = () => {
    const ended = start()
    ended.catch(() => undefined)
    return ended
  }
}

type LibraryLog = { methodFactory: () => () => void; rebuild(): void }

/** The library logs to the console, including room and event names. Loggers that it creates later inherit this setting. */
function beSilent(log: LibraryLog): void {
  log.methodFactory = () => () => {}
  log.rebuild()
}

/** The state of a room cannot be read before joining it, so an invitation is accepted first. */
async function encrypts(client: MatrixClient, room: string): Promise<boolean> {
  await client.joinRoom(room)
  try {
    await client.getStateEvent(room, 'm.room.encryption', '')
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Asks the homeserver if the library does not know the room yet, so that nothing is sent unencrypted to an encrypted room. */
async function isEncryptedRoom(client: MatrixClient, room: string): Promise<boolean> {
  const known = client.getRoom(room)
  return known?.getMyMembership() === 'join' ? known.hasEncryptionStateEvent() : encrypts(client, room)
}

const roomsWhere = (client: MatrixClient, membership: string) =>
  client.getRooms().filter((room) => room.getMyMembership() === membership)

async function noteOf(client: MatrixClient, room: string, type: string): Promise<JsonObject | undefined> {
  const path = `/user/${encodeURIComponent(client.getSafeUserId())}/rooms/${encodeURIComponent(room)}/account_data/${encodeURIComponent(type)}`
  try {
    return await client.http.authedRequest<JsonObject>('GET' as never, path)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === 'M_NOT_FOUND'

async function oneEvent(client: MatrixClient, room: string, event_id: string): Promise<RoomEvent | undefined> {
  try {
    const raw = await client.fetchRoomEvent(room, event_id)
    return await readEvent(client, client.getEventMapper()({ ...raw, room_id: room }))
  } catch {
    return undefined
  }
}

async function* historyOf(client: MatrixClient, room: string, size = NEWEST): AsyncGenerator<RoomEvent> {
  const toEvent = client.getEventMapper()
  let from: string | null = null
  for (;;) {
    const page: Awaited<ReturnType<MatrixClient['createMessagesRequest']>> = await client.createMessagesRequest(
      room,
      from,
      size,
      'b' as never,
    )
    for (const raw of page.chunk) {
      const read = await readEvent(client, toEvent({ ...raw, room_id: room }))
      if (read !== undefined) yield read
    }
    if (page.end === undefined || page.chunk.length === 0) return
    from = page.end
  }
}

async function readEvent(client: MatrixClient, event: MatrixEvent): Promise<RoomEvent | undefined> {
  await client.decryptEventIfNeeded(event).catch(() => {})
  const [event_id, room, sender] = [event.getId(), event.getRoomId(), event.getSender()]
  if (event_id === undefined || room === undefined || sender === undefined) return undefined
  const of = { event_id, room, sender, at: event.getTs(), encrypted: event.isEncrypted() }
  // The text of such a message is a placeholder of the library, not from the sender.
  if (event.isDecryptionFailure()) return { ...of, type: 'm.room.encrypted', content: {} }
  // The original content: later edits do not count.
  return { ...of, type: event.getType(), content: event.getOriginalContent() }
}
