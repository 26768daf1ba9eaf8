import { createServer, type ServerResponse } from 'node:http'

/**
 * HTTP with events as it was before streamable HTTP: answers are sent on the stream of `GET /sse`, requests are posted to the
 * address it names. `ENDPOINT` names another one.
 */
type Message = {
  id?: string | number
  method: string
  params?: { name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown>; requestId?: unknown }
}
const filler = 'x'.repeat(65_536)
const streams = new Map<string, ServerResponse>()
const received: string[] = []
const cancelled = new Map<unknown, () => void>()
let opened = 0
let added: string | undefined

function onMessage(stream: ServerResponse, { id, method, params }: Message): void {
  const say = (message: object) =>
    stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n\n`)
  const answer = (text: string) => say({ result: { content: [{ type: 'text', text }] } })
  const args = params?.arguments ?? {}
  const TOOLS: Record<string, () => unknown> = {
    echo: () => answer(JSON.stringify(args)),
    heard: () => answer(JSON.stringify(received)),
    slow: () => setTimeout(() => answer('slow but sure'), Number(args['ms'])),
    hangs: () => undefined,
    /** Answers only when the call is cancelled. */
    late: () => cancelled.set(id, () => answer('too late')),
    huge: () => answer(filler + filler),
    garbage: () => stream.write(`data: {"jsonrpc":"2.0","id":"${id}","result":{\n\n`),
    twice: () => answer('first') && answer('second'),
    progresses: () => {
      const progressToken = params?._meta?.['progressToken']
      const report = (n: number) => ({ progressToken, progress: n, total: Number(args['n']), message: `step ${n}` })
      const tell = (n: number) => say({ id: undefined, method: 'notifications/progress', params: report(n) })
      for (let n = 1; n <= Number(args['n']); n += 1) tell(n)
      answer(typeof progressToken)
      tell(Number(args['n']) + 1)
    },
    floods_bytes: () => {
      let left = Number(args['bytes'])
      const flood = { jsonrpc: '2.0', method: 'notifications/message', params: { data: filler.slice(6_000) } }
      const more = () => {
        left -= filler.length
        if (left > 0) stream.write(`data: ${JSON.stringify(flood)}\n\n`, more)
        else answer('dry again')
      }
      more()
    },
    /** Half an answer, then the stream ends. */
    dies_mid_answer: () => {
      stream.write(`data: {"jsonrpc":"2.0","id":"${id}","result":{"content":[`)
      setTimeout(() => stream.destroy(), 20)
    },
    /** An event without an end. */
    endless: () => {
      stream.write(`data: {"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"text","text":"`)
      const more = () => void stream.write(filler, () => (stream.destroyed ? undefined : setImmediate(more)))
      more()
    },
    becomes: () => {
      added = 'new'
      say({ id: undefined, method: 'notifications/tools/list_changed' })
      answer('changed')
    },
    dies: () => process.exit(3),
    hangs_up: () => stream.destroy(),
  }
  if (method === 'notifications/cancelled') cancelled.get(params?.requestId)?.()
  if (id === undefined) return
  if (method === 'initialize')
    say({
      result: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'old', version: '1' },
      },
    })
  else if (method === 'tools/list') {
    const names = [...Object.keys(TOOLS), ...(added === undefined ? [] : [added])]
    say({ result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } })
  } else if (method === 'tools/call') TOOLS[params?.name ?? '']?.()
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (url.pathname === '/sse' && request.method === 'GET') {
    const session = String((opened += 1))
    streams.set(session, response)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: ${process.env['ENDPOINT'] ?? `/messages?session=${session}`}\n\n`)
    return
  }
  const stream = streams.get(url.searchParams.get('session') ?? '')
  if (url.pathname !== '/messages' || stream === undefined) {
    response.writeHead(405).end()
    return
  }
  let body = ''
  request.on('data', (part: Buffer) => (body += part.toString()))
  request.on('end', () => {
    received.push(body)
    response.writeHead(202).end('Accepted')
    onMessage(stream, JSON.parse(body) as Message)
  })
})
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
