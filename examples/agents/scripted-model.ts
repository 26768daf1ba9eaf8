/**
 * A scripted model, so that the examples run without a network. It serves the chat-completions API over HTTP and answers according
 * to the conversation so far. With another base URL and key, the same code runs with a real model.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

type Message = { readonly role: string; readonly content?: unknown }
type Turn = { readonly tool: string; readonly args: object } | { readonly says: string }

export async function withScriptedModel(use: (baseURL: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const { messages } = JSON.parse(text) as { messages: readonly Message[] }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(completionOf(nextTurn(messages))))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  } finally {
    server.close()
  }
}

/** Sends one message. If it is held, waits for the outcome instead of sending it again. Then reports. */
function nextTurn(messages: readonly Message[]): Turn {
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))
  const last = answers.at(-1)
  if (last === undefined)
    return { tool: 'outbox__send_message', args: { to: 'bob@example.com', subject: 'lunch', body: 'at noon?' } }
  const held = /call_id (call_[0-9a-f]+)/.exec(last)?.[1]
  if (held !== undefined) return { tool: 'call_status', args: { call_id: held, wait_ms: 20_000 } }
  return { says: /sent to/.test(last) ? 'The message is sent.' : `It did not work: ${last}` }
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

function completionOf(turn: Turn): object {
  const message =
    'says' in turn
      ? { role: 'assistant', content: turn.says }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `turn_${randomUUID()}`,
              type: 'function',
              function: { name: turn.tool, arguments: JSON.stringify(turn.args) },
            },
          ],
        }
  return {
    id: `chatcmpl_${randomUUID()}`,
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, message, finish_reason: 'says' in turn ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  }
}
