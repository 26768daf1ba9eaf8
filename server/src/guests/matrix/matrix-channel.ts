import type { Channel } from '../../kernel/approvals/channels-use.ts'
import type { ChatEvent, ChatPrompt, ChatRoom } from '../../kernel/ports/chat.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { MatrixChannelSettings } from './section.ts'
import { isJsonObject } from '../../kernel/contract/json.ts'
import { channelKind } from '../../kernel/approvals/channel-kind.ts'
import { openMatrixConnection, type MatrixConnection, type RoomEvent } from './matrix-connection.ts'
import { newsText, promptText, type ChatText } from './prompt-text.ts'

export const matrixRoom = channelKind('matrix', (settings, { secret, stopping, log }) => {
  const { homeserver, room: roomId, user, token, password } = settings
  const given = {
    room: roomId,
    homeserver,
    user,
    ...(token === undefined ? {} : { token: secret(token, 'token') }),
    ...(password === undefined ? {} : { password: secret(password, 'password') }),
  }
  const people = Object.entries(settings.people).map(
    ([sender, { approver, user: person = approver }]) =>
      [sender, { kind: 'approver', id: `approver:${approver}`, user: person }] as const,
  )
  const session = onceOpened(() => openMatrixConnection(given))
  const room = matrixChannel(settings, { people: new Map(people), session, stopping, log })
  return { channel: room, room }
})

/** Opened on first use; after a failure the next use tries again. */
function onceOpened<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
}

export type MatrixChannelPorts = {
  readonly people: ReadonlyMap<string, Caller>
  /** Logs in on first use, and again after a failure. */
  readonly session: () => Promise<MatrixConnection>
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

/** In the content of the gate's own messages: which request it shows. */
const PROMPT = 'io.sluice.prompt'
/** How far back a prompt is searched for. */
const MOST_LOOKED_AT = 1_000
const RETRY_MS = 5_000

/** A room of approvers: sends prompts, and receives the answers of the people in it. */
export function matrixChannel(settings: MatrixChannelSettings, deps: MatrixChannelPorts): Channel & ChatRoom {
  const { room } = settings
  const sent = new Map<string, Found>()

  async function find(approval_id: string): Promise<Found | undefined> {
    const known = sent.get(approval_id)
    if (known !== undefined) return known
    const session = await deps.session()
    let looked = 0
    for await (const event of session.history(room)) {
      const found = event.sender === session.user ? promptIn(event) : undefined
      if (found?.approval_id === approval_id) return { event_id: event.event_id, ...found }
      looked += 1
      if (looked >= MOST_LOOKED_AT) return undefined
    }
    return undefined
  }

  return {
    name: settings.name,
    events: settings.events,
    people: deps.people,

    async send(message) {
      if (deps.stopping.aborted) return 'stopping'
      try {
        const session = await deps.session()
        const { delivery_id, approval_id, digest } = message
        if (message.event === 'approval.pending' && approval_id !== undefined) {
          const prompt = { approval_id, ...(digest === undefined ? {} : { digest }) }
          const content = { ...messageOf(promptText(message), 'm.text'), [PROMPT]: prompt }
          const event_id = await session.send(room, 'm.room.message', content, delivery_id)
          remember(sent, { event_id, ...prompt })
          return 'delivered'
        }
        const text = newsText(message)
        const prompt = approval_id === undefined ? undefined : await find(approval_id)
        const content = prompt === undefined ? messageOf(text, 'm.notice') : editOf(text, prompt)
        await session.send(room, 'm.room.message', content, delivery_id)
        return 'delivered'
      } catch (error) {
        deps.log('a message could not be sent to the chat', { channel: settings.name, error: nameOf(error) })
        return deps.stopping.aborted ? 'stopping' : 'failed'
      }
    },

    promptFor: (approval_id) => find(approval_id).catch(() => undefined),

    async reply(to, text) {
      try {
        const content = {
          msgtype: 'm.notice',
          body: text,
          'm.mentions': {},
          'm.relates_to': { 'm.in_reply_to': { event_id: to } },
        }
        await (await deps.session()).send(room, 'm.room.message', content)
      } catch (error) {
        deps.log('an answer could not be sent to the chat', { channel: settings.name, error: nameOf(error) })
      }
    },

    follow(onEvent) {
      let stop: (() => Promise<void>) | undefined
      let isStopped = false
      const begin = async (): Promise<void> => {
        try {
          const session = await deps.session()
          const unsubscribe = session.listen((event) => {
            if (event.room !== room || event.sender === session.user) return
            void chatEventOf(session, event).then((one) => (one === undefined ? undefined : onEvent(one)))
          })
          stop = async () => {
            unsubscribe()
            await session.close()
          }
          if (isStopped) await stop()
        } catch (error) {
          deps.log('the chat cannot be reached; retrying', { channel: settings.name, error: nameOf(error) })
          if (!isStopped) setTimeout(() => void begin(), RETRY_MS).unref()
        }
      }
      void begin()
      return async () => {
        isStopped = true
        await stop?.()
      }
    },
  }

  async function chatEventOf(session: MatrixConnection, event: RoomEvent): Promise<ChatEvent | undefined> {
    const { event_id, sender, at, type, content } = event
    const relation = isJsonObject(content['m.relates_to']) ? content['m.relates_to'] : {}
    if (type === 'm.reaction') {
      const { key, event_id: to, rel_type } = relation
      if (rel_type !== 'm.annotation' || typeof key !== 'string' || typeof to !== 'string') return undefined
      const target = await session.event(room, to)
      return {
        event_id,
        sender,
        at,
        is: 'reaction',
        key,
        to: target?.sender === session.user ? promptIn(target) : undefined,
      }
    }
    const { msgtype, body } = content
    // Edits are ignored: only the original text counts.
    if (type !== 'm.room.message' || msgtype !== 'm.text' || relation['rel_type'] === 'm.replace') return undefined
    return typeof body === 'string' ? { event_id, sender, at, is: 'text', text: body } : undefined
  }
}

type Found = ChatPrompt & { readonly event_id: string }

const MOST_REMEMBERED = 1_000
function remember(sent: Map<string, Found>, found: Found): void {
  if (sent.size >= MOST_REMEMBERED) sent.clear()
  sent.set(found.approval_id, found)
}

function promptIn({ content }: RoomEvent): ChatPrompt | undefined {
  const prompt = content[PROMPT]
  if (!isJsonObject(prompt) || typeof prompt['approval_id'] !== 'string') return undefined
  const { approval_id, digest } = prompt
  return { approval_id, ...(typeof digest === 'string' ? { digest } : {}) }
}

/** Nobody is mentioned, whatever a text contains. */
const messageOf = (text: ChatText, msgtype: string) => ({
  msgtype,
  ...text,
  format: 'org.matrix.custom.html',
  'm.mentions': {},
})

function editOf(text: ChatText, { event_id }: Found) {
  const content = messageOf(text, 'm.text')
  return {
    ...content,
    body: `* ${text.body}`,
    'm.new_content': content,
    'm.relates_to': { rel_type: 'm.replace', event_id },
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')
