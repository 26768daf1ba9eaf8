import type { ChannelMessage } from '../../kernel/approvals/channel-message.ts'
import type { Channel } from '../../kernel/approvals/channels-use.ts'
import type { PushSettings } from './section.ts'
import { sentenceWithoutValues } from '../../kernel/contract/sentence.ts'
import type { RiskClass } from '../../kernel/contract/tool.ts'
import { channelKind } from '../../kernel/approvals/channel-kind.ts'
import { openPost, type Post } from '../../adapters/upstream/channels/post.ts'

/** ntfy's levels: 3 is normal, 5 rings. */
const PRIORITY = { low: '2', medium: '3', high: '4', critical: '5' } as const satisfies Record<RiskClass, string>

export const pushChannel = channelKind('push', (settings, tools) => {
  const token = settings.token === undefined ? {} : { token: tools.secret(settings.token, 'token') }
  return { channel: push(settings, { post: openPost(tools.stopping), ...token }) }
})

/** A short line on somebody's phone. It shows no arguments: others can read a locked screen. */
export function push(
  settings: Pick<PushSettings, 'name' | 'url' | 'events'>,
  { post, token }: { readonly post: Post; readonly token?: string },
): Channel {
  return {
    name: settings.name,
    events: settings.events,
    async send(message) {
      return post(settings.url, {
        body: bodyOf(message),
        headers: {
          title: headerText(titleOf(message)),
          priority: PRIORITY[message.risk],
          tags: 'sluice',
          ...(message.url === undefined ? {} : { click: message.url }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      })
    },
  }
}

function bodyOf({ why, tool_id, state, hidden, sentence }: ChannelMessage): string {
  const says = why === '' ? `${tool_id}: ${state}` : `${sentenceWithoutValues(sentence)}\nWhy: ${why}`
  return hidden === undefined ? says : `${says} (${hidden.says})`
}

function titleOf({ event, title, decided_at }: ChannelMessage): string {
  if (event !== 'approval.pending') return `${title}: ${event.replace('.', ' ')}`
  return decided_at === undefined ? `Approve? ${title}` : `${title}: waiting for the hub`
}

/** A header contains ASCII; everything else is encoded as in RFC 2047. */
function headerText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
}
