import type { WebhookKey } from '../ports/keys.ts'
import type { ChatRoom } from '../ports/chat.ts'
import type { Clock } from '../ports/runtime.ts'
import type { ChannelLists } from './channels.ts'
import type { CallbackSource, Channel } from './channels-use.ts'

/** A channel may also be a room in which people answer, or accept signed decisions. */
export type OpenedChannel = {
  readonly channel?: Channel
  readonly room?: ChatRoom
  readonly callback?: CallbackSource
}

/** What a channel is opened with. A place is relative to the settings of the channel, for messages about faults. */
export type ChannelTools = {
  /** Of the configuration: relative paths in it begin here. */
  readonly folder: string
  /** The secret, or an empty text and a fault. */
  secret(reference: string, place: string): string
  /** The same as a key; undefined, and a fault, if it is too short. */
  key(reference: string, place: string): WebhookKey | undefined
  isSameSecret(one: string, other: string): boolean
  fault(place: string, says: string): void
  readonly clock: Clock
  /** Aborted when messages that are being sent are no longer waited for. */
  readonly stopping: AbortSignal
  readonly log: (says: string, about?: Readonly<Record<string, unknown>>) => void
}

export type ChannelKind = {
  readonly list: keyof ChannelLists
  /** Sends nothing yet. */
  open(settings: unknown, tools: ChannelTools): OpenedChannel
}

/** Each kind gets the settings of its own list. */
export const channelKind = <List extends keyof ChannelLists>(
  list: List,
  open: (settings: ChannelLists[List][number], tools: ChannelTools) => OpenedChannel,
): ChannelKind => ({ list, open })
