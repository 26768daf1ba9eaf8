import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What one request to a model asked for, independent of the wire format. */
export type Asked = {
  readonly system: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  readonly tools: readonly string[]
  readonly purpose: 'intent' | 'plan' | 'propose' | 'answer' | 'summary'
  readonly key: string | undefined
}

/** What the model answers: text, a tool call, raw text instead of arguments, or an error status. */
export type Said = {
  readonly text?: string
  readonly tool?: string
  readonly args?: unknown
  readonly raw?: string
  readonly status?: number
  /** Before the answer, and between two pieces of its text. */
  readonly wait_ms?: number
  readonly pieces?: number
}

export type ModelServer = {
  readonly url: string
  readonly asked: Asked[]
  /** Decides the answer. */
  say: (asked: Asked) => Said | Promise<Said>
  close(): Promise<void>
}

/** A model scripted by a test, over OpenAI's chat completions at `/v1` and Anthropic's messages at `/anthropic`, streamed. */
export async function startModelServer(): Promise<ModelServer> {
  const server: Server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy())
  })
  const model: ModelServer = {
    url: '',
    asked: [],
    say: () => ({ text: 'nothing' }),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = JSON.parse(text) as Record<string, unknown>
    const isAnthropic = request.url?.startsWith('/anthropic') === true
    const asked = isAnthropic ? anthropicAsked(body, request) : openAiAsked(body, request)
    model.asked.push(asked)
    const said = await model.say(asked)
    if (said.wait_ms !== undefined) await sleep(said.wait_ms)
    if (said.status !== undefined) {
      response.writeHead(said.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'the body of an error may repeat a secret: sk-model-key' } }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (data: unknown, event?: string) =>
      response.write(
        `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
      )
    await (isAnthropic ? sayAnthropic(send, said) : sayOpenAi(send, said))
    response.end()
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return Object.assign(model, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

type Send = (data: unknown, event?: string) => void

/** Clients tell answers apart by their ids. */
let answers = 0

const piecesOf = (text: string, count: number): string[] => {
  const size = Math.max(1, Math.ceil(text.length / count))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}

async function sayOpenAi(send: Send, { text, tool, args, raw, wait_ms, pieces = 3 }: Said): Promise<void> {
  const id = `c${(answers += 1)}`
  const chunk = (delta: object, finish_reason: string | null = null) =>
    send({
      id,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'test',
      choices: [{ index: 0, delta, finish_reason }],
    })
  chunk({ role: 'assistant', content: '' })
  for (const piece of piecesOf(text ?? '', pieces)) {
    chunk({ content: piece })
    if (wait_ms !== undefined) await sleep(wait_ms)
  }
  if (tool !== undefined)
    chunk({
      tool_calls: [
        {
          index: 0,
          id: 'call_1',
          type: 'function',
          function: { name: tool, arguments: raw ?? JSON.stringify(args ?? {}) },
        },
      ],
    })
  chunk({}, tool === undefined ? 'stop' : 'tool_calls')
  send({
    id,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test',
    choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  })
  send('[DONE]')
}

async function sayAnthropic(send: Send, { text, tool, args, raw, wait_ms, pieces = 3 }: Said): Promise<void> {
  const tell = (data: { readonly type: string } & object) => send(data, data.type)
  const usage = { input_tokens: 100, output_tokens: 1 }
  tell({
    type: 'message_start',
    message: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'test',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  } as never)
  let index = 0
  if (text !== undefined) {
    tell({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } } as never)
    for (const piece of piecesOf(text, pieces)) {
      tell({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } } as never)
      if (wait_ms !== undefined) await sleep(wait_ms)
    }
    tell({ type: 'content_block_stop', index } as never)
    index += 1
  }
  if (tool !== undefined) {
    tell({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: 'toolu_1', name: tool, input: {} },
    } as never)
    tell({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json: raw ?? JSON.stringify(args ?? {}) },
    } as never)
    tell({ type: 'content_block_stop', index } as never)
  }
  const stop_reason = tool === undefined ? 'end_turn' : 'tool_use'
  tell({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } } as never)
  tell({ type: 'message_stop' })
}

function purposeOf(system: string): Asked['purpose'] {
  if (system.startsWith('Say what kind')) return 'intent'
  if (system.startsWith('You plan')) return 'plan'
  if (system.startsWith('You carry out')) return 'propose'
  return system.startsWith('Summarise') ? 'summary' : 'answer'
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('')

function openAiAsked(body: Record<string, unknown>, { headers }: IncomingMessage): Asked {
  const all = (body['messages'] as { role: string; content: unknown }[]).map(({ role, content }) => ({
    role,
    text: textOf(content),
  }))
  const system = all.find(({ role }) => role === 'system')?.text ?? ''
  const tools = (body['tools'] ?? []) as { function: { name: string } }[]
  return {
    system,
    messages: all.filter(({ role }) => role !== 'system'),
    tools: tools.map((tool) => tool.function.name),
    purpose: purposeOf(system),
    key: headers.authorization,
  }
}

function anthropicAsked(body: Record<string, unknown>, { headers }: IncomingMessage): Asked {
  const system = textOf(body['system'] ?? '')
  const tools = (body['tools'] ?? []) as { name: string }[]
  return {
    system,
    messages: (body['messages'] as { role: string; content: unknown }[]).map(({ role, content }) => ({
      role,
      text: textOf(content),
    })),
    tools: tools.map(({ name }) => name),
    purpose: purposeOf(system),
    key: String(headers['x-api-key']),
  }
}

/** Answers each step of a plan with its call, in order, and with a text at the end. */
export function following(plan: readonly string[], calls: readonly Said[], answer = 'Done.'): ModelServer['say'] {
  let at = 0
  return ({ purpose }) => {
    if (purpose === 'plan') return { text: JSON.stringify(plan) }
    if (purpose === 'propose') return calls[at++] ?? { text: 'nothing more to do' }
    return { text: purpose === 'summary' ? 'a summary' : answer }
  }
}
