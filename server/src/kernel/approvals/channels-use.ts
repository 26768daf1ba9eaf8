import type { Result } from '../contract/problems.ts'
import type { PushPayload, PushRow } from '../contract/web-push.ts'
import type { Caller } from '../contract/caller.ts'
import type { ChannelEvent } from './channels.ts'
import type { ChannelMessage } from './channel-message.ts'
import type { WebhookKey } from '../ports/keys.ts'

export interface Channel {
  readonly name: string
  readonly events: readonly ChannelEvent[]
  /** For programs: a request is announced even if it has been decided since. */
  readonly sends_decided?: true
  /** One attempt. `stopping`: not sent, because the gate stops. Never throws. */
  send(message: ChannelMessage): Promise<'delivered' | 'failed' | 'stopping'>
}

/** What comes back from a channel, and who decided. */
export type CallbackSource = { readonly key: WebhookKey; readonly approver: Caller }

/** Messages to browsers that a person has enabled. */
export interface WebPush {
  /** The key that browsers subscribe with. */
  publicKey(): Result<string>
  /** Whether this is an address of a push service: the gate posts nowhere else. */
  isAllowed(endpoint: string): boolean
  /** Whether a message could be encrypted for it. */
  isKey(keys: { readonly p256dh: string; readonly auth: string }): boolean
  /** `gone`: the push service says that the browser is no longer subscribed. */
  send(to: Pick<PushRow, 'endpoint' | 'p256dh' | 'auth'>, payload: PushPayload): Promise<'sent' | 'gone' | 'failed'>
}
