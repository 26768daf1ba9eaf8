import type { ChannelMessage } from '../../kernel/approvals/channel-message.ts'
import type { Channel } from '../../kernel/approvals/channels-use.ts'
import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { WebhookSettings } from './section.ts'
import { sentenceText } from '../../kernel/contract/sentence.ts'
import { channelKind } from '../../kernel/approvals/channel-kind.ts'
import { openPost, type Post } from '../../adapters/upstream/channels/post.ts'

export const webhookChannel = channelKind('webhooks', (settings, tools) => {
  const key = tools.key(settings.secret, 'secret')
  const channel = key && webhook(settings, { post: openPost(tools.stopping), clock: tools.clock, key })
  const opened = channel === undefined ? {} : { channel }
  if (settings.callback === undefined) return opened
  const { secret, approver, user = approver } = settings.callback
  const back = tools.key(secret, 'callback.secret')
  if (tools.isSameSecret(secret, settings.secret))
    tools.fault('callback.secret', 'it must differ from the secret for outgoing messages')
  if (back === undefined) return opened
  return { ...opened, callback: { key: back, approver: { kind: 'approver', id: `approver:${approver}`, user } } }
})

/** A signed message to another program, as in Standard Webhooks. */
export function webhook(
  settings: Pick<WebhookSettings, 'name' | 'url' | 'events'>,
  deps: { readonly post: Post; readonly clock: Clock; readonly key: WebhookKey },
): Channel {
  return {
    name: settings.name,
    events: settings.events,
    sends_decided: true,
    send(message) {
      const body = bodyOf(message)
      const seconds = Math.floor(deps.clock() / 1000)
      return deps.post(settings.url, {
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': message.delivery_id,
          'webhook-timestamp': String(seconds),
          'webhook-signature': deps.key.sign(message.delivery_id, seconds, body),
        },
      })
    },
  }
}

/** Whether the receiver shows long texts whole is not known, so a request with some is approved on its page. */
function bodyOf({ delivery_id: _, event, at, sentence, digest, is_long, ...data }: ChannelMessage): string {
  const { confirm } = sentence
  const isTyped = data.strength !== 'simple' && confirm !== undefined
  const decides = digest === undefined || is_long === true ? {} : { digest, ...(isTyped ? { confirm } : {}) }
  const said = { ...data, ...decides, sentence: sentenceText(sentence) }
  return JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data: said })
}
