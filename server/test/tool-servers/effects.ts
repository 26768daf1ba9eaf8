import { appendFileSync } from 'node:fs'
import { answer, send, serveRaw, type RawCall } from './raw-server.ts'

/** Every effect of this server is one line in the file `EFFECTS`, written before the answer: what ran can be counted. */
const file = process.env['EFFECTS'] ?? '/dev/null'
const leave = ({ name, args }: RawCall) => appendFileSync(file, `${name} ${JSON.stringify(args)}\n`)

const text = {
  type: 'object',
  properties: { text: { type: 'string' }, ms: { type: 'number' }, dry_run: { type: 'boolean' } },
  required: ['text'],
}
const SCHEMAS: Record<string, object> = { note: text, note_again: text, slow_note: text, wipe: text }

const TOOLS: Record<string, (call: RawCall) => void> = {
  look: ({ id }) => answer(id, 'nothing to see'),
  note(call) {
    if (call.args['dry_run'] === true) {
      const refused = call.args['text'] === 'impossible'
      send({
        id: call.id,
        result: { content: [{ type: 'text', text: refused ? 'would fail' : 'would note' }], isError: refused },
      })
      return
    }
    leave(call)
    answer(call.id, `noted ${String(call.args['text'])}`)
  },
  note_again(call) {
    leave(call)
    answer(call.id, 'noted')
  },
  slow_note(call) {
    leave(call)
    setTimeout(() => answer(call.id, 'noted slowly'), Number(call.args['ms'] ?? 0))
  },
  wipe(call) {
    leave(call)
    answer(call.id, 'wiped')
  },
  fails: ({ id }) => send({ id, result: { content: [{ type: 'text', text: 'it broke' }], isError: true } }),
  big: ({ id, args }) => answer(id, 'x'.repeat(Number(args['size']))),
}

serveRaw({
  tools: () =>
    Object.keys(TOOLS).map((name) => ({
      name,
      description: name,
      ...(SCHEMAS[name] === undefined ? {} : { inputSchema: SCHEMAS[name] }),
    })),
  onCall: (call) => TOOLS[call.name]?.(call),
})
