import { appendFileSync } from 'node:fs'
import { answer, openStream, resultOf, sendEvent, sendJson, serveRawHttp, type HttpCall } from './raw-http-server.ts'

/**
 * As `logging.ts`, over HTTP: logs every call that it receives, with the call's id, before it does anything else. What a call does to the
 * server is in its arguments: `does` names one of `MISBEHAVIOUR`.
 */
const file = process.env['LOG'] ?? '/dev/null'
const schema = {
  type: 'object',
  properties: { text: { type: 'string' }, does: { type: 'string' } },
  required: ['text'],
}
const FLOOD_EVENTS = 20_000
const MEGABYTE = 'x'.repeat(1_048_576)
const HUGE_MB = 64

function log({ name, args, meta }: HttpCall): void {
  const call = meta['sluice/idempotency-key']
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), pid: process.pid, call, tool: name, args })}\n`)
}

const raw = ({ response }: HttpCall, text: string, type = 'application/json') =>
  response.writeHead(200, { 'content-type': type }).end(text)

const MISBEHAVIOUR: Readonly<Record<string, (call: HttpCall) => unknown>> = {
  hang: () => undefined,
  /** Starts an answer and never sends it. */
  hang_in_stream: ({ response }) => openStream(response).flushHeaders(),
  /** Neither reads nor answers any more, like a busy loop. The supervisor ends it. */
  freeze() {
    for (;;);
  },
  crash: () => process.exit(7),
  hang_up: ({ request }) => request.socket.destroy(),
  crash_mid_answer({ id, response }) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write(JSON.stringify(resultOf(id, 'done')).slice(0, 40), () => process.exit(7))
  },
  crash_after(call) {
    answer(call, 'done')
    call.response.on('finish', () => process.exit(7))
  },
  not_json: (call) => raw(call, 'this is not JSON'),
  not_http_json: (call) => raw(call, '<html>done</html>', 'text/html'),
  wrong_id: ({ response }) => sendJson(response, resultOf('nobody', 'done')),
  wrong_shape: ({ id, response }) => sendJson(response, { jsonrpc: '2.0', id, result: { content: 'done' } }),
  no_result: ({ id, response }) => sendJson(response, { jsonrpc: '2.0', id }),
  server_error: ({ response }) => response.writeHead(500).end('it broke'),
  /** Forgets every session, then answers. */
  forget(call) {
    served.sessions.clear()
    answer(call, 'done')
  },
  /** Answers twice in a stream, and sends an unrequested answer. */
  lie({ id, response }) {
    openStream(response)
    sendEvent(response, resultOf('nobody', 'unasked'))
    sendEvent(response, resultOf(id, 'done'))
    sendEvent(response, resultOf(id, 'done again'))
    response.end()
  },
  flood({ id, response }) {
    openStream(response)
    for (let count = 0; count < FLOOD_EVENTS; count += 1)
      sendEvent(response, { method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(200) } })
    sendEvent(response, resultOf(id, 'done'))
    response.end()
  },
  huge({ id, response }) {
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`)
    let left = HUGE_MB
    const more = () => {
      if (response.destroyed) return
      left -= 1
      if (left < 0) response.end('"}]}}')
      else response.write(MEGABYTE, more)
    }
    more()
  },
  fail: ({ id, response }) =>
    sendJson(response, {
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text: 'it broke' }], isError: true },
    }),
}

const served = serveRawHttp({
  tools: () => ['add', 'look'].map((name) => ({ name, description: name, inputSchema: schema })),
  onCall(call) {
    log(call)
    const misbehave = MISBEHAVIOUR[String(call.args['does'])]
    if (misbehave === undefined) answer(call, `done ${String(call.args['text'])}`)
    else misbehave(call)
  },
})
