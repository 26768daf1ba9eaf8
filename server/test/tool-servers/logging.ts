import { appendFileSync } from 'node:fs'
import { answer, send, serveRaw, write, type RawCall } from './raw-server.ts'

/**
 * Logs every call that it receives, with the call's id, in one line of the file `LOG`, before it does anything else. What a call does to
 * the server is in its arguments: `does` is `hang`, `crash`, `crash_after`, `lie`, `flood` or `fail`.
 */
const file = process.env['LOG'] ?? '/dev/null'

const schema = {
  type: 'object',
  properties: { text: { type: 'string' }, ms: { type: 'number' }, does: { type: 'string' } },
  required: ['text'],
}
const FLOOD_LINES = 20_000

function log({ name, args, meta }: RawCall): void {
  const call = meta['sluice/idempotency-key']
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), pid: process.pid, call, tool: name, args })}\n`)
}

const MISBEHAVIOUR: Readonly<Record<string, (call: RawCall) => void>> = {
  hang: () => {},
  crash: () => process.exit(7),
  crash_after(call) {
    answer(call.id, 'done')
    process.exit(7)
  },
  /** Answers twice, answers what nobody asked, and says something that is no JSON-RPC. */
  lie(call) {
    send({ id: 'nobody', result: { content: [{ type: 'text', text: 'unasked' }] } })
    answer(call.id, 'done')
    answer(call.id, 'done again')
    write('this is not JSON\n')
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
