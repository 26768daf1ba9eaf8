import { appendFileSync } from 'node:fs'
import { answer, send, serveRaw, write, type RawCall } from './raw-server.ts'

/**
 * Logs every call that it receives, with the call's id, in one line of the file `LOG`, before it does anything else. What a call does to
 * the server is in its arguments: `does` names one of `MISBEHAVIOUR`.
 */
const file = process.env['LOG'] ?? '/dev/null'

const schema = {
  type: 'object',
  properties: { text: { type: 'string' }, ms: { type: 'number' }, does: { type: 'string' } },
  required: ['text'],
}
const FLOOD_LINES = 20_000
const LISTINGS = 200
const MEGABYTE = 'x'.repeat(1_048_576)
const HUGE_MB = 64

function log({ name, args, meta }: RawCall): void {
  const call = meta['sluice/idempotency-key']
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), pid: process.pid, call, tool: name, args })}\n`)
}

const MISBEHAVIOUR: Readonly<Record<string, (call: RawCall) => void>> = {
  hang: () => {},
  /** Neither reads nor answers any more, like a busy loop. */
  freeze() {
    for (;;);
  },
  crash: () => process.exit(7),
  crash_mid_answer(call) {
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{"content":[{"type":"te`)
    setImmediate(() => process.exit(7))
  },
  crash_after(call) {
    answer(call.id, 'done')
    process.exit(7)
  },
  /** Answers twice, sends an unrequested answer, and sends something that is not JSON-RPC. */
  lie(call) {
    send({ id: 'nobody', result: { content: [{ type: 'text', text: 'unasked' }] } })
    answer(call.id, 'done')
    answer(call.id, 'done again')
    write('this is not JSON\n')
  },
  /** An answer to a call that nobody has made yet, then its own. */
  answer_ahead(call) {
    answer(`s-${Number(String(call.id).slice(2)) + 1}`, 'not asked')
    answer(call.id, 'done')
  },
  /** The right answer under an unknown id. */
  wrong_id: () => answer('s-999999', 'done'),
  wrong_shape: ({ id }) => send({ id, result: { content: 'done' } }),
  no_result: ({ id }) => send({ id }),
  both: ({ id }) => send({ id, result: { content: [] }, error: { code: 1, message: 'both' } }),
  /** Asks something that no tool server may ask, calls off what it was asked, then answers. */
  ask_back(call) {
    send({ id: 'mine', method: 'tools/call', params: { name: 'add', arguments: { text: 'from the server' } } })
    send({ method: 'notifications/cancelled', params: { requestId: call.id } })
    answer(call.id, 'done')
  },
  flood_stderr(call) {
    for (let line = 0; line < FLOOD_LINES; line += 1) process.stderr.write(`${line} ${'x'.repeat(200)}\n`)
    answer(call.id, 'done')
  },
  /** Announces again and again that its tools have changed. */
  flood_listings(call) {
    for (let line = 0; line < LISTINGS; line += 1) send({ method: 'notifications/tools/list_changed' })
    answer(call.id, 'done')
  },
  huge({ id }) {
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`)
    let left = HUGE_MB
    const more = () => void (left-- > 0 ? process.stdout.write(MEGABYTE, more) : write('"}]}}\n'))
    more()
  },
  flood(call) {
    for (let line = 0; line < FLOOD_LINES; line += 1)
      send({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(200) } })
    answer(call.id, 'done')
  },
  fail: ({ id }) => send({ id, result: { content: [{ type: 'text', text: 'it broke' }], isError: true } }),
}

serveRaw({
  tools: () =>
    ['add', 'add_again', 'ask_add', 'look'].map((name) => ({ name, description: name, inputSchema: schema })),
  onCall(call) {
    log(call)
    const misbehave = MISBEHAVIOUR[String(call.args['does'])]
    if (misbehave !== undefined) misbehave(call)
    else setTimeout(() => answer(call.id, `done ${String(call.args['text'])}`), Number(call.args['ms'] ?? 0))
  },
})
