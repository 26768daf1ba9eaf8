import { answer, openStream, resultOf, sendEvent, sendJson, serveRawHttp, type HttpCall } from './raw-http-server.ts'

const limit = Number(process.env['LIMIT'] ?? 65_536)
const filler = 'x'.repeat(limit)
const raw = ({ response }: HttpCall, text: string, type = 'application/json') =>
  response.writeHead(200, { 'content-type': type }).end(text)
const DEEP = `${'['.repeat(30_000)}${']'.repeat(30_000)}`

/** Answers that wait until a client resumes their stream. */
const rest = new Map<string, object>()
let tools: readonly object[] = []
/** How many endless answers the reader cut off. */
let cut = 0

function writeForEver(response: HttpCall['response']): void {
  response.on('close', () => (cut += 1))
  const more = () => void response.write(filler, () => (response.destroyed ? undefined : setImmediate(more)))
  more()
}

/** One tool for each way to misbehave; `echo` and `echo_stream` behave. */
const TOOLS: Record<string, (call: HttpCall) => unknown> = {
  echo: (call) => answer(call, JSON.stringify(call.args)),
  echo_stream({ id, args, response }) {
    openStream(response)
    sendEvent(response, { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })
    sendEvent(response, resultOf(id, JSON.stringify(args)))
    response.end()
  },
  /** The same with other line ends, comments, several lines of data and cut in the middle of a letter. */
  odd_stream({ id, response }) {
    openStream(response)
    const lines = JSON.stringify(resultOf(id, 'œuf'), null, 1).split('\n')
    const bytes = Buffer.from(
      `\uFEFF: hello\r\nretry: 10\r\n\r\n${lines.map((line) => `data:${line}\r\n`).join('')}\r\n`,
    )
    for (const [from, byte] of bytes.entries()) setTimeout(() => response.write(Buffer.of(byte)), from / 8)
    setTimeout(() => response.end(), bytes.length)
  },
  slow: (call) => setTimeout(() => answer(call, 'slow but sure'), Number(call.args['ms'])),
  hangs: () => undefined,
  /** Starts an answer and never sends it. */
  hangs_in_stream: ({ response }) => openStream(response).flushHeaders(),
  dies: () => process.exit(3),
  /** Reads the whole request and disconnects. */
  hangs_up: ({ request }) => request.socket.destroy(),
  dies_mid_answer({ id, response, request }) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write(JSON.stringify(resultOf(id, filler)).slice(0, 500))
    setTimeout(() => request.socket.destroy(), 20)
  },
  dies_mid_stream({ id, response, request }) {
    openStream(response).write(`data: ${JSON.stringify(resultOf(id, 'almost'))}\n`)
    setTimeout(() => request.socket.destroy(), 20)
  },
  ends_stream: ({ response }) => openStream(response).end(),
  garbage: (call) => raw(call, `{"jsonrpc":"2.0","id":"${call.id}","result":{"content":[{"type":"te`),
  nonsense: (call) => raw(call, 'Server listening…'),
  garbage_stream: (call) => raw(call, `data: {"jsonrpc":"2.0","id":"${call.id}","result":{\n\n`, 'text/event-stream'),
  wrong_type: (call) => raw(call, '<h1>Welcome</h1>', 'text/html'),
  no_type: ({ response }) => response.writeHead(200).end('{}'),
  accepted: ({ response }) => response.writeHead(202).end(),
  no_result: ({ id, response }) => sendJson(response, { jsonrpc: '2.0', id }),
  other_id: ({ response }) => sendJson(response, resultOf('s-999999', 'for somebody else')),
  needs_input: ({ id, response }) =>
    sendJson(response, { jsonrpc: '2.0', id, result: { resultType: 'input_required', requestState: 's' } }),
  deep: (call) => raw(call, `{"jsonrpc":"2.0","id":"${call.id}","result":{"content":[],"structuredContent":${DEEP}}}`),
  rejects: ({ id, response }) => sendJson(response, { jsonrpc: '2.0', id, error: { code: -32602, message: 'no' } }),
  rejects_400: ({ id, response }) =>
    sendJson(response, { jsonrpc: '2.0', id, error: { code: -32020, message: 'no such header' } }, 400),
  /** Rejected with a JSON-RPC error before it was processed. */
  unread: ({ response }) =>
    sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request' } }, 400),
  status: ({ args, response }) => response.writeHead(Number(args['status'])).end('as you wish'),
  redirects: ({ args, response }) =>
    response.writeHead(Number(args['status'] ?? 307), { location: String(args['to']) }).end(),
  twice({ id, response }) {
    openStream(response)
    sendEvent(response, resultOf(id, 'first'))
    sendEvent(response, resultOf(id, 'second'))
    response.end()
  },
  /** Answers and keeps the stream open for good. */
  lingers({ id, response }) {
    openStream(response)
    sendEvent(response, resultOf(id, 'said'))
  },
  huge: (call) => answer(call, filler + filler),
  huge_stream({ id, response }) {
    openStream(response)
    sendEvent(response, resultOf(id, filler + filler))
    response.end()
  },
  endless({ id, response }) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(`{"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"text","text":"`)
    writeForEver(response)
  },
  endless_event({ id, response }) {
    openStream(response).write(`data: {"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"text","text":"`)
    writeForEver(response)
  },
  cut: (call) => answer(call, String(cut)),
  /** Sends `bytes` unrequested bytes, in messages under the limit, as fast as they are read. */
  floods_bytes({ id, args, response }) {
    let left = Number(args['bytes'])
    openStream(response)
    const message = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(60_000) } }
    const event = `data: ${JSON.stringify(message)}\n\n`
    const more = () => {
      left -= event.length
      if (left > 0) response.write(event, more)
      else response.end(`data: ${JSON.stringify(resultOf(id, 'dry again'))}\n\n`)
    }
    more()
  },
  floods({ id, response }) {
    openStream(response)
    for (let n = 0; n < 20_000; n += 1)
      sendEvent(response, { method: 'notifications/message', params: { level: 'info', data: n } })
    sendEvent(response, resultOf(id, 'dry again'))
    response.end()
  },
  /** Reports `n` steps, one of an unknown call, and one after the answer. */
  progresses({ id, args, meta: { progressToken }, response }) {
    openStream(response)
    const say = (params: object) => sendEvent(response, { method: 'notifications/progress', params })
    const steps = Number(args['n'])
    for (let n = 1; n <= steps; n += 1) say({ progressToken, progress: n, total: steps, message: `step ${n}` })
    say({ progressToken: 's-999999', progress: 1 })
    sendEvent(response, resultOf(id, typeof progressToken))
    say({ progressToken, progress: steps + 1 })
    response.end()
  },
  /** Ends the stream before the answer, after it said where to resume. */
  polls({ id, args, response }) {
    openStream(response).write(`id: from-${id}\nretry: 20\ndata:\n\n`)
    if (args['never'] !== true) rest.set(`from-${id}`, resultOf(id, 'the rest'))
    response.end()
  },
  /** Forgets every session: the next request of each gets an error. */
  forgets(call) {
    answer(call, 'forgotten')
    served.sessions.clear()
  },
  becomes(call) {
    tools = call.args['tools'] as object[]
    for (const stream of served.standing) sendEvent(stream, { method: 'notifications/tools/list_changed' })
    answer(call, 'changed')
  },
  hangs_up_standing(call) {
    tools = call.args['tools'] as object[]
    for (const stream of served.standing) stream.destroy()
    answer(call, 'gone')
  },
}

const served = serveRawHttp({
  tools: () => [...Object.keys(TOOLS).map((name) => ({ name })), ...tools],
  onCall: (call) => void TOOLS[call.name]?.(call),
  before(request, response) {
    const last = request.headers['last-event-id']
    if (request.method === 'GET' && typeof last === 'string' && last.startsWith('from-')) {
      const message = rest.get(last)
      if (message === undefined) response.writeHead(400).end()
      else {
        openStream(response)
        sendEvent(response, message)
        response.end()
      }
      return true
    }
    // As some older servers do with a method they do not know.
    if (process.env['IGNORES_PROBE'] !== undefined && request.headers['mcp-method'] === 'server/discover') return true
    // Refuses a large request as soon as it sees how large it is.
    if (Number(request.headers['content-length'] ?? 0) > 4_000_000) {
      response.writeHead(503).end()
      return true
    }
    // Like the proxies of many servers: the address with a slash is the real one.
    if (request.url === '/moved') {
      response.writeHead(307, { location: '/mcp' }).end()
      return true
    }
    return false
  },
})
