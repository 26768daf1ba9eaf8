import type { ChannelMessage } from '../../kernel/approvals/channel-message.ts'
import { valueAndMark } from '../../kernel/contract/marked-value.ts'
import { sentenceText, type Sentence, type SentencePiece } from '../../kernel/contract/sentence.ts'

/** Plain text, and the same for clients that show HTML. */
export type ChatText = { readonly body: string; readonly formatted_body: string }

/** A short form of the packet: what will happen, why approval is needed, and how to answer. On a node, it says that the hub decides. */
export function promptText(message: ChannelMessage): ChatText {
  const { sentence, tool_id, asked_by, risk, strength, why, args, preview, hidden, url } = message
  const asks = message.decided_at === undefined ? 'Approve?' : 'Waiting for the hub:'
  const how = howToDecide(message)
  const lines = [
    `${asks} ${sentenceText(sentence)}`,
    `${tool_id}, asked by ${asked_by}, risk ${risk}, ${strength ?? 'simple'} approval`,
    ...(why === '' ? [] : [`Why: ${why}`]),
    `Arguments: ${args}`,
    ...(preview === undefined ? [] : [`Dry run: ${preview}`]),
    ...(hidden === undefined ? [] : [hidden.says]),
    how,
    ...(url === undefined ? [] : [url]),
  ]
  const html = [
    `<p><strong>${asks}</strong> ${sentenceHtml(sentence)}</p>`,
    `<p>${code(tool_id)}, asked by ${code(asked_by)}, risk ${escaped(risk)}, ${escaped(strength ?? 'simple')} approval</p>`,
    ...(why === '' ? [] : [`<p>Why: ${escaped(why)}</p>`]),
    `<pre><code>${escaped(args)}</code></pre>`,
    ...(preview === undefined ? [] : [`<p>Dry run: ${code(preview)}</p>`]),
    ...(hidden === undefined ? [] : [`<p>${escaped(hidden.says)}</p>`]),
    `<p>${escaped(how)}</p>`,
    ...(url === undefined ? [] : [`<p>${escaped(url)}</p>`]),
  ]
  return { body: lines.join('\n'), formatted_body: html.join('') }
}

function howToDecide({ decided_at, digest, url, approval_id = '' }: ChannelMessage): string {
  if (decided_at !== undefined) return `The hub ${decided_at} decides this request. It cannot be decided in this room.`
  return digest === undefined
    ? `Open ${url ?? 'the console'} to decide: this message does not show everything.`
    : `React with ✅ or write: approve ${approval_id}   /   To deny, write: deny ${approval_id} reason: …`
}

/** The text that replaces a prompt after the decision, or reports the outcome of a call. */
export function newsText({ sentence, event, state, why, approval_id, tool_id }: ChannelMessage): ChatText {
  const what = event.startsWith('call.') ? `The call is ${state}` : `The request is ${state}`
  const reason = why === '' || event.startsWith('approval.') ? '' : `: ${why}`
  const about = approval_id === undefined ? tool_id : approval_id
  return {
    body: `${what}${reason}. ${sentenceText(sentence)} (${about})`,
    formatted_body: `<p><strong>${escaped(what)}</strong>${escaped(reason)}. ${sentenceHtml(sentence)} (${code(about)})</p>`,
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
const code = (text: string): string => `<code>${escaped(text)}</code>`
const sentenceHtml = ({ pieces }: Pick<Sentence, 'pieces'>): string =>
  pieces.map((piece) => (piece.is === 'text' ? escaped(piece.text) : markedHtml(piece))).join('')

function markedHtml(piece: Exclude<SentencePiece, { is: 'text' }>): string {
  const { value, mark } = valueAndMark(piece)
  return mark === undefined ? code(value) : `${code(value)} ⟨${escaped(mark)}⟩`
}
