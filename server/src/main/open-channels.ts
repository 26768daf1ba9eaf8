import type { CallbackSource, Channel } from '../kernel/approvals/channels-use.ts'
import type { ChannelKind, ChannelTools } from '../kernel/approvals/channel-kind.ts'
import type { ChatRoom } from '../kernel/ports/chat.ts'
import { isChannel, type Channels } from '../kernel/approvals/channels.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import { MIN_WEBHOOK_SECRET_BYTES, webhookKey } from '../adapters/keys/webhook-key.ts'
import { secretOf } from '../adapters/upstream/server-config.ts'

export type OpenedChannels = {
  readonly channels: readonly Channel[]
  readonly callbacks: ReadonlyMap<string, CallbackSource>
  readonly rooms: readonly ChatRoom[]
}

export type OpeningChannels = Pick<ChannelTools, 'folder' | 'clock' | 'stopping' | 'log'>

/** The configured channels with their secrets resolved. A missing or short secret is rejected with its place in the file. */
export function openChannels(
  settings: Channels,
  kinds: readonly ChannelKind[],
  around: OpeningChannels,
): Result<OpenedChannels> {
  const faults: string[] = []
  const read = (reference: string) => secretOf(reference, around.folder, process.env)
  const toolsAt = (where: string): ChannelTools => {
    const fault = (place: string, says: string) => void faults.push(`channels.${where}.${place}: ${says}`)
    const secret = (reference: string, place: string): string => {
      const found = read(reference) ?? ''
      if (found === '') fault(place, 'the secret is missing')
      return found
    }
    return {
      ...around,
      fault,
      secret,
      key(reference, place) {
        const text = secret(reference, place)
        const key = webhookKey(text)
        if (key === undefined && text !== '') fault(place, `shorter than ${MIN_WEBHOOK_SECRET_BYTES} bytes`)
        return key
      },
      isSameSecret: (one, other) => read(one) === read(other),
    }
  }
  const callbacks = new Map<string, CallbackSource>()
  const channels: Channel[] = []
  const rooms: ChatRoom[] = []
  // In the order of the configuration's keys.
  for (const [list, configured] of Object.entries<unknown>({ ...settings })) {
    const kind = kinds.find((one) => one.list === list)
    if (kind === undefined || !Array.isArray(configured)) continue
    for (const [index, one] of configured.filter(isChannel).entries()) {
      const { channel, room, callback } = kind.open(one, toolsAt(`${list}.${index}`))
      if (channel !== undefined) channels.push(channel)
      if (room !== undefined) rooms.push(room)
      if (callback !== undefined) callbacks.set(one.name, callback)
    }
  }
  return faults.length === 0
    ? ok({ channels, callbacks, rooms })
    : refuse('config.invalid', { paths: faults.join('; ') })
}
