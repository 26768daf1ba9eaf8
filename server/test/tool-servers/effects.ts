import { dirname, join } from 'node:path'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { answer, send, serveRaw, type RawCall } from './raw-server.ts'

/** Every effect of this server is one line in the file `EFFECTS`, written before the answer: what ran can be counted. */
const file = process.env['EFFECTS'] ?? '/dev/null'
const leave = ({ name, args }: RawCall) => appendFileSync(file, `${name} ${JSON.stringify(args)}\n`)

const text = {
  type: 'object',
  properties: { text: { type: 'string' }, ms: { type: 'number' }, dry_run: { type: 'boolean' } },
  required: ['text'],
}
const titled = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
const kept = {
  type: 'object',
  properties: { title: { type: 'string' }, text: { type: 'string' } },
  required: ['title', 'text'],
}
const SCHEMAS: Record<string, object> = {
  keep_note: kept,
  find_note: titled,
  erase_note: titled,
  note: text,
  note_again: text,
  slow_note: text,
  wipe: text,
}

type Note = { readonly title: string; readonly text: string }

/** The notes that are in the book: kept and not erased. The file of effects is the book. */
function notes(): readonly Note[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  const requestsFor = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [JSON.parse(line.slice(name.length)) as Note] : []))
  const erased = new Set(requestsFor('erase_note').map(({ title }) => title))
  return requestsFor('keep_note').filter(({ title }) => !erased.has(title))
}
const answerJson = (id: RawCall['id'], structuredContent: object) =>
  send({ id, result: { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent } })

function find({ id, args: { title } }: RawCall): void {
  const note = notes().find((one) => one.title === title)
  if (note === undefined) answerJson(id, { found: false })
  else if (title === 'torn')
    send({ id, result: { content: [{ type: 'text', text: 'the page is torn' }], isError: true } })
  else if (title !== 'mute') answerJson(id, { found: true, note })
}

function onceReleased(act: () => void): void {
  const look = setInterval(() => {
    if (!existsSync(`${file}.go`)) return
    clearInterval(look)
    act()
  }, 10)
}

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
  /** Answers `ms` later, or with `until: released` once there is a file beside the book that says so. */
  slow_note(call) {
    leave(call)
    if (call.args['until'] === 'released') onceReleased(() => answer(call.id, 'noted slowly'))
    else setTimeout(() => answer(call.id, 'noted slowly'), Number(call.args['ms'] ?? 0))
  },
  wipe(call) {
    leave(call)
    answer(call.id, 'wiped')
  },
  /** Answers that it stored the note. It does not store the text `lost`, and for `untitled` it names no title. */
  keep_note(call) {
    const { title, text: words } = call.args
    leave(words === 'lost' ? { ...call, name: 'lose_note' } : call)
    // A server that answers with a path of the gate, to test how answers are used.
    if (words === 'kept elsewhere') answerJson(call.id, { title: join(dirname(file), 'data/admin.key') })
    else answerJson(call.id, words === 'untitled' ? {} : { title })
  },
  /**
   * The title `torn` cannot be read, `mute` is never answered, `slow` is answered after a while, and `waits` once there is a
   * file beside the book that says so.
   */
  find_note(call) {
    if (call.args['title'] === 'waits') {
      onceReleased(() => find(call))
      return
    }
    if (call.args['title'] === 'slow') setTimeout(() => find(call), 300)
    else find(call)
  },
  erase_note(call) {
    leave(call)
    answer(call.id, 'erased')
  },
  echo: ({ id, args }) => answer(id, `you said ${String(args['text'])}`),
  /** Base64 that happens to read like a key. */
  picture: ({ id }) =>
    send({
      id,
      result: {
        content: [
          {
            type: 'image',
            mimeType: 'image/png',
            data: `ghp_D4${'aB3dE5gH7jK9mN1pQ2sT4vW6xY8z'.repeat(2)}`.slice(0, 40),
          },
        ],
      },
    }),
  fails: ({ id }) => send({ id, result: { content: [{ type: 'text', text: 'it broke' }], isError: true } }),
  big: ({ id, args: { size, of = 'x' } }) => answer(id, String(of).repeat(Number(size) / String(of).length)),
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
