import type { Caller } from '../../contract/caller.ts'
import type { ChannelEvent } from '../../contract/channels.ts'
import type { ChannelMessage } from '../channels/channel-message.ts'
import type { WebhookKey } from './keys.ts'

export interface Channel {
  readonly name: string
  readonly events: readonly ChannelEvent[]
  /** One attempt. `stopping`: not sent, because the gate stops. Never throws. */
  send(message: ChannelMessage): Promise<'delivered' | 'failed' | 'stopping'>
}

/** What comes back from a channel, and whose word it is. */
export type CallbackSource = { readonly key: WebhookKey; readonly approver: Caller }
