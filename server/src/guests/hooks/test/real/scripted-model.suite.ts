import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One turn of the scripted model: a tool with arguments, or its final text. */
export type Turn = { readonly tool: string; readonly args: object } | { readonly say: string }

export type ScriptedModel = {
  readonly url: string
  /** Every request for a turn, as it was received. */
  readonly requests: string[]
  /** The tools that the client offered first. */
  readonly offered: string[]
  play(turns: readonly Turn[]): void
  close(): void
}

/** A model that follows a script, in the wire formats of the clients: OpenAI responses, OpenAI chat completions, Gemini. */
export async function scriptedModel(): Promise<ScriptedModel> {
  let turns: readonly Turn[] = []
  let at = 0
  const requests: string[] = []
  const offered: string[] = []
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const path = request.url ?? ''
    const wire = WIRES.find(({ is }) => is.test(path))
    if (wire === undefined || request.method !== 'POST') return void response.writeHead(404).end('{}')
    const isWork = wire.isWork(body)
    if (isWork) {
      requests.push(body)
      if (offered.length === 0)
        offered.push(...[...body.matchAll(/"name":"([\w.-]+)"/g)].map((match) => match[1] ?? ''))
    }
    const turn: Turn = isWork ? (turns[at++] ?? { say: 'done' }) : { say: 'a title' }
    const isStream = wire.stream(path, body)
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(wire.write(turn, at, isStream))
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    offered,
    play(next) {
      turns = next
      at = 0
      requests.length = 0
    },
    close: () => void server.close(),
  }
}

type Wire = {
  readonly is: RegExp
  /** Whether it is a turn of the task, and not a title, a summary or a check of the client's own. */
  isWork(body: string): boolean
  stream(path: string, body: string): boolean
  write(turn: Turn, id: number, stream: boolean): string
}

const sse = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const typed = (events: readonly { type: string }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const responses: Wire = {
  is: /\/responses$/,
  isWork: (body) => body.includes('"tools"'),
  stream: () => true,
  write(turn, id) {
    const item =
      'say' in turn
        ? { type: 'message', role: 'assistant', id: `msg_${id}`, content: [{ type: 'output_text', text: turn.say }] }
        : turn.tool === 'apply_patch'
          ? {
              type: 'custom_tool_call',
              call_id: `call_${id}`,
              id: `ctc_${id}`,
              name: 'apply_patch',
              input: (turn.args as { input: string }).input,
            }
          : {
              type: 'function_call',
              call_id: `call_${id}`,
              id: `fc_${id}`,
              name: turn.tool,
              arguments: JSON.stringify(turn.args),
            }
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    return typed([
      { type: 'response.created', response: { id: `resp_${id}` } } as { type: string },
      { type: 'response.output_item.done', output_index: 0, item } as { type: string },
      { type: 'response.completed', response: { id: `resp_${id}`, usage } } as { type: string },
    ])
  },
}

const chat: Wire = {
  is: /\/chat\/completions$/,
  isWork: (body) => body.includes('"tools"'),
  stream: (_, body) => body.includes('"stream":true'),
  write(turn, id, stream) {
    const call = 'say' in turn ? undefined : { name: turn.tool, arguments: JSON.stringify(turn.args) }
    const message = {
      role: 'assistant',
      content: 'say' in turn ? turn.say : null,
      ...(call === undefined ? {} : { tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: call }] }),
    }
    const finish_reason = call === undefined ? 'stop' : 'tool_calls'
    const base = { id: `c${id}`, created: 1, model: 'scripted' }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    if (!stream)
      return JSON.stringify({
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
        usage,
      })
    const chunk = (delta: object, reason: string | null) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
    return `${sse([chunk(message, null), { ...chunk({}, finish_reason), usage }])}data: [DONE]\n\n`
  },
}

const gemini: Wire = {
  is: /:(?:stream)?[gG]enerateContent/,
  isWork: (body) => body.includes('functionDeclarations'),
  stream: (path) => path.includes('stream'),
  write(turn, _, stream) {
    const part = 'say' in turn ? { text: turn.say } : { functionCall: { name: turn.tool, args: turn.args } }
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }
    return stream ? sse([answer]) : JSON.stringify(answer)
  },
}

const WIRES: readonly Wire[] = [responses, chat, gemini]
