import type { ClientEvent, MatrixClient, MatrixEvent } from 'matrix-js-sdk'
import type { JsonObject } from '../../contract/json.ts'

/** What one session at a homeserver is used for here. */
export type MatrixSettings = {
  /** Where it talks. If that room is encrypted, the session is. */
  readonly room: string
  readonly homeserver: string
  readonly user: string
  /** An access token, or a password: with the latter each start is a new device, as encrypted rooms want it. */
  readonly token?: string
  readonly password?: string
}

/** A message of a room, decrypted, as far as it is used here. */
export type RoomEvent = {
  readonly event_id: string
  readonly room: string
  readonly sender: string
  readonly at: number
  readonly type: string
  readonly content: JsonObject
}

export interface MatrixSession {
  readonly user: string
  /** What is sent again with the same `txn` is there once. */
  send(room: string, type: 'm.room.message', content: object, txn?: string): Promise<string>
  /** One event, by its id. */
  event(room: string, event_id: string): Promise<RoomEvent | undefined>
  /** The newest events of a room, newest first, page by page. */
  history(room: string): AsyncGenerator<RoomEvent>
  /** The newest events of the joined rooms, then every one that comes; an encrypted one can come twice. Returns how to stop. */
  listen(onEvent: (event: RoomEvent) => void): () => void
  close(): Promise<void>
}

const NEWEST = 100
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, getChild: () => silent }

/** Logs in at a homeserver. Throws when it does not answer or refuses. The library is loaded here: a gate without a chat never does. */
export async function openMatrixSession(settings: MatrixSettings): Promise<MatrixSession> {
  const sdk = await import('matrix-js-sdk')
  const { logger } = await import('matrix-js-sdk/lib/logger.js')
  beSilent(logger as unknown as LibraryLog)
  const { homeserver: baseUrl, token, password } = settings
  const known = token === undefined ? await logIn() : await whoIs(token)
  const client = sdk.createClient({ baseUrl, logger: silent, ...known })
  const isNewDevice = token === undefined
  const isEncrypted = await encrypts(client, settings.room)
  // In memory: the keys live as long as this process, so its device must be a new one.
  if (isEncrypted && !isNewDevice) throw new Error('the room is encrypted, which needs `password` instead of `token`')
  if (isEncrypted) await client.initRustCrypto({ useIndexedDB: false })

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

  const waiting: RoomEvent[] = []
  const keep = (event: RoomEvent) => void waiting.push(event)
  let tell: (event: RoomEvent) => void = keep
  let told: Promise<void> = Promise.resolve()
  const read = async (event: MatrixEvent, before: Promise<void>) => {
    await before
    const one = await readEvent(client, event)
    if (one !== undefined) tell(one)
  }
  const hear = (event: MatrixEvent) => {
    told = read(event, told)
  }
  client.on(sdk.RoomEvent.Timeline, (event, _room, isOld) => {
    if (isOld === true) return
    hear(event)
    // The key may come after the message.
    if (event.isEncrypted()) event.once(sdk.MatrixEventEvent.Decrypted, hear)
  })
  await prepared(sdk, client)

  return {
    user: known.userId,
    async send(room, type, content, txn) {
      // The library refuses to send one that failed before. In an encrypted room a repetition can come twice.
      if (isEncrypted) return (await client.sendEvent(room, type as never, content as never)).event_id
      const path = `/rooms/${encodeURIComponent(room)}/send/${type}/${encodeURIComponent(txn ?? client.makeTxnId())}`
      const sent = await client.http.authedRequest<{ event_id: string }>(sdk.Method.Put, path, undefined, content)
      return sent.event_id
    },
    event: (room, event_id) => oneEvent(client, room, event_id),
    history: (room) => historyOf(client, room),
    listen(onEvent) {
      for (const event of waiting.splice(0)) onEvent(event)
      tell = onEvent
      return () => (tell = keep)
    },
    async close() {
      client.stopClient()
      if (isNewDevice) await client.logout(false).catch(() => {})
    },
  }
}

/** Nothing is sent before the first answer: until then the library does not know that a room is encrypted. */
async function prepared(sdk: { readonly ClientEvent: typeof ClientEvent }, client: MatrixClient): Promise<void> {
  const first = new Promise<void>((resolve, reject) => {
    const heard = (state: string): void => {
      if (state !== 'PREPARED' && state !== 'ERROR') return
      client.off(sdk.ClientEvent.Sync, heard)
      if (state === 'PREPARED') resolve()
      else reject(new Error('the homeserver does not answer'))
    }
    client.on(sdk.ClientEvent.Sync, heard)
  })
  await client.startClient({ initialSyncLimit: NEWEST })
  try {
    await first
  } catch (error) {
    client.stopClient()
    throw error
  }
}

type LibraryLog = { methodFactory: () => () => void; rebuild(): void }

/** The library writes to the console what it does, with names of rooms and events; loggers made later follow this one. */
function beSilent(log: LibraryLog): void {
  log.methodFactory = () => () => {}
  log.rebuild()
}

/** A room that the gate is only invited to cannot be asked yet, so it is joined first. */
async function encrypts(client: MatrixClient, room: string): Promise<boolean> {
  await client.joinRoom(room)
  try {
    await client.getStateEvent(room, 'm.room.encryption', '')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === 'M_NOT_FOUND') return false
    throw error
  }
}

async function oneEvent(client: MatrixClient, room: string, event_id: string): Promise<RoomEvent | undefined> {
  try {
    const raw = await client.fetchRoomEvent(room, event_id)
    return await readEvent(client, client.getEventMapper()({ ...raw, room_id: room }))
  } catch {
    return undefined
  }
}

async function* historyOf(client: MatrixClient, room: string): AsyncGenerator<RoomEvent> {
  const toEvent = client.getEventMapper()
  let from: string | null = null
  for (;;) {
    const page: Awaited<ReturnType<MatrixClient['createMessagesRequest']>> = await client.createMessagesRequest(
      room,
      from,
      NEWEST,
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
  if (event_id === undefined || room === undefined || sender === undefined || event.isDecryptionFailure())
    return undefined
  return { event_id, room, sender, at: event.getTs(), type: event.getType(), content: event.getContent() }
}
