import { answer, send, serveRaw, write, type RawCall } from './raw-server.ts'

const limit = Number(process.env['LIMIT'] ?? 65_536)
const filler = 'x'.repeat(limit)
const asResult = (id: RawCall['id'], text: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }] },
})

const cancelled = new Map<unknown, () => void>()

/** One tool for each way to misbehave; `echo` behaves. */
const TOOLS: Record<string, (call: RawCall) => void> = {
  echo: ({ id, args }) => answer(id, JSON.stringify(args)),
  /** Answers `ms` later. */
  slow: ({ id, args }) => void setTimeout(() => answer(id, 'slow but sure'), Number(args['ms'])),
  hangs: () => undefined,
  /** Answers only when the call is cancelled. */
  late: ({ id }) => void cancelled.set(id, () => answer(id, 'too late')),
  /** Stops reading and answering permanently, like a busy loop. */
  freezes: () => {
    for (;;);
  },
  dies: () => process.exit(3),
  dies_mid_answer: ({ id }) =>
    write(JSON.stringify(asResult(id, filler)).slice(0, 1000)) && setImmediate(() => process.exit(3)),
  answers_then_dies: ({ id }) =>
    process.stdout.write(`${JSON.stringify(asResult(id, 'last words'))}\n`, () => process.exit(0)),
  /** A line that starts like the answer and is not JSON. */
  garbage: ({ id }) => write(`{"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"te\n`),
  /** The same, by a serialiser that puts the id last. */
  garbage_at_end: ({ id }) => write(`"content":[],,}},"jsonrpc":"2.0","id":"${id}"}\n`),
  /** Lines without an id, then the answer. */
  chatty: ({ id }) => write('Server listening…\n\n[1,2]\n{"jsonrpc":"1.0"}\nnull\n') && answer(id, 'after the noise'),
  no_result: ({ id }) => send({ id }),
  text_result: ({ id }) => send({ id, result: 'done' }),
  wrong_content: ({ id }) => send({ id, result: { content: [{ text: 'a block without a type' }] } }),
  both: ({ id }) => send({ id, result: { content: [] }, error: { code: 1, message: 'both' } }),
  /** Valid JSON that overflows the stack of whoever walks it by recursion. */
  deep: ({ id }) =>
    write(
      `{"jsonrpc":"2.0","id":"${id}","result":{"content":[],"structuredContent":${'['.repeat(30_000)}${']'.repeat(30_000)}}}\n`,
    ),
  deep_error: ({ id }) =>
    write(
      `{"jsonrpc":"2.0","id":"${id}","error":{"code":1,"message":"","data":${'['.repeat(30_000)}${']'.repeat(30_000)}}}\n`,
    ),
  needs_input: ({ id }) => send({ id, result: { resultType: 'input_required', requestState: 's' } }),
  rejects: ({ id }) => send({ id, error: { code: -32602, message: 'no such parameter', data: { path: '/to' } } }),
  reports_error: ({ id }) => send({ id, result: { content: [{ type: 'text', text: 'no such file' }], isError: true } }),
  twice: ({ id }) => answer(id, 'first') && answer(id, 'second'),
  /** Answers a call that was not made yet, then its own. */
  ahead: ({ id }) => answer(`s-${Number(String(id).slice(2)) + 1}`, 'not asked') && answer(id, 'asked'),
  huge: ({ id }) => send(asResult(id, filler + filler)),
  huge_id_last: ({ id }) =>
    write(`{"result":{"content":[{"type":"text","text":"${filler}"}]},"jsonrpc":"2.0","id":"${id}"}\n`),
  /** Writes forever and never ends the line. */
  endless: ({ id }) => {
    write(`{"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"text","text":"`)
    const more = () => void process.stdout.write(filler, more)
    more()
  },
  /** Starts a line over the limit and stops in the middle of it. */
  stuck_line: () => write(filler + filler),
  /** Sends `bytes` unrequested bytes, in messages under the limit, as fast as they are read. */
  floods_bytes: ({ id, args }) => {
    let left = Number(args['bytes'])
    const line = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${'x'.repeat(60_000)}"}}\n`
    const more = () => {
      left -= line.length
      if (left > 0) process.stdout.write(line, more)
      else answer(id, 'dry again')
    }
    more()
  },
  floods: ({ id }) => {
    for (let n = 0; n < 20_000; n += 1) send({ method: 'notifications/message', params: { level: 'info', data: n } })
    answer(id, 'dry again')
  },
  /** Reports `n` steps, one of an unknown call, and one after the answer. */
  progresses: ({ id, args, meta: { progressToken } }) => {
    const say = (params: object) => send({ method: 'notifications/progress', params })
    const steps = Number(args['n'])
    for (let n = 1; n <= steps; n += 1) say({ progressToken, progress: n, total: steps, message: `step ${n}` })
    say({ progressToken: 's-999999', progress: 1 })
    answer(id, typeof progressToken)
    say({ progressToken, progress: steps + 1 })
  },
  floods_stderr: ({ id }) => {
    for (let n = 0; n < 5_000; n += 1) process.stderr.write(`line ${n} with ${process.env['SECRET'] ?? 'nothing'}\n`)
    answer(id, 'said')
  },
  environment: ({ id }) => answer(id, JSON.stringify(process.env)),
}

serveRaw({
  tools: () => Object.keys(TOOLS).map((name) => ({ name })),
  onCall: (call) => TOOLS[call.name]?.(call),
  before({ method, params }) {
    if (method === 'notifications/cancelled') cancelled.get(params?.['requestId'])?.()
    return false
  },
})
