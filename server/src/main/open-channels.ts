import type { CallbackSource, Channel } from '../kernel/approvals/channels-use.ts'
import type { ChatRoom } from '../kernel/ports/chat.ts'
import type { WebhookKey } from '../kernel/ports/keys.ts'
import type { Clock } from '../kernel/ports/runtime.ts'
import type { Channels } from '../kernel/approvals/channels.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import { MIN_WEBHOOK_SECRET_BYTES, webhookKey } from '../adapters/keys/webhook-key.ts'
import { openPost } from '../adapters/upstream/channels/post.ts'
import { push } from '../guests/push/push.ts'
import { matrixChannel } from '../guests/matrix/matrix-channel.ts'
import { openMatrixSession } from '../guests/matrix/matrix-session.ts'
import { webhook } from '../guests/webhook/webhook.ts'
import { secretOf } from '../adapters/upstream/server-config.ts'

export type OpenedChannels = {
  readonly channels: readonly Channel[]
  readonly callbacks: ReadonlyMap<string, CallbackSource>
  readonly rooms: readonly ChatRoom[]
}

export type ChannelDeps = {
  readonly folder: string
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

/** The configured channels with their secrets resolved. A missing or short secret is rejected with its place in the file. */
export function openChannels(
  settings: Channels,
  { folder, clock, stopping, log }: ChannelDeps,
): Result<OpenedChannels> {
  const faults: string[] = []
  const post = openPost(stopping)
  const secret = (reference: string, where: string): string => {
    const found = secretOf(reference, folder, process.env)
    if (found === undefined || found === '') faults.push(`channels.${where}: the secret is missing`)
    return found ?? ''
  }
  const keyOf = (reference: string, where: string): WebhookKey | undefined => {
    const text = secret(reference, where)
    const key = webhookKey(text)
    if (key === undefined && text !== '')
      faults.push(`channels.${where}: shorter than ${MIN_WEBHOOK_SECRET_BYTES} bytes`)
    return key
  }
  const callbacks = new Map<string, CallbackSource>()
  const channels: Channel[] = []
  for (const [index, one] of settings.webhooks.entries()) {
    const key = keyOf(one.secret, `webhooks.${index}.secret`)
    if (key !== undefined) channels.push(webhook(one, { post, clock, key }))
    if (one.callback === undefined) continue
    const { secret: reference, approver, user = approver } = one.callback
    const back = keyOf(reference, `webhooks.${index}.callback.secret`)
    if (secretOf(reference, folder, process.env) === secretOf(one.secret, folder, process.env))
      faults.push(`channels.webhooks.${index}.callback.secret: it must differ from the secret for outgoing messages`)
    if (back !== undefined)
      callbacks.set(one.name, { key: back, approver: { kind: 'approver', id: `approver:${approver}`, user } })
  }
  for (const [index, one] of settings.push.entries()) {
    const token = one.token === undefined ? {} : { token: secret(one.token, `push.${index}.token`) }
    channels.push(push(one, { post, ...token }))
  }
  const rooms: ChatRoom[] = []
  for (const [index, one] of settings.matrix.entries()) {
    const { homeserver, room: roomId, user, token, password } = one
    const given = {
      room: roomId,
      homeserver,
      user,
      ...(token === undefined ? {} : { token: secret(token, `matrix.${index}.token`) }),
      ...(password === undefined ? {} : { password: secret(password, `matrix.${index}.password`) }),
    }
    const people = Object.entries(one.people).map(
      ([sender, { approver, user: person = approver }]) =>
        [sender, { kind: 'approver', id: `approver:${approver}`, user: person }] as const,
    )
    const session = onceOpened(() => openMatrixSession(given))
    const room = matrixChannel(one, { people: new Map(people), session, stopping, log })
    channels.push(room)
    rooms.push(room)
  }
  return faults.length === 0
    ? ok({ channels, callbacks, rooms })
    : refuse('config.invalid', { paths: faults.join('; ') })
}

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
