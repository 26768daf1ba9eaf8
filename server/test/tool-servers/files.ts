import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { answer, send, serveRaw, type RawCall } from './raw-server.ts'

/** A file server that follows whatever path it is given, from its own working folder. */
const one = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path'],
}
const two = { type: 'object', properties: { source: { type: 'string' }, destination: { type: 'string' } } }
const many = { type: 'object', properties: { reads: { type: 'array' }, label: { type: 'string' } } }

const TOOLS: Record<string, { schema: object; run: (args: RawCall['args']) => string }> = {
  read: { schema: one, run: ({ path }) => readFileSync(String(path), 'utf8') },
  write: {
    schema: one,
    run({ path, content }) {
      mkdirSync(dirname(String(path)), { recursive: true })
      writeFileSync(String(path), String(content))
      return 'written'
    },
  },
  move: { schema: two, run: ({ source, destination }) => String(renameSync(String(source), String(destination))) },
  read_many: {
    schema: many,
    run: ({ reads }) => (reads as { at: string }[]).map(({ at }) => readFileSync(at, 'utf8')).join(','),
  },
}

serveRaw({
  tools: () => Object.entries(TOOLS).map(([name, { schema }]) => ({ name, description: name, inputSchema: schema })),
  onCall({ id, name, args }) {
    try {
      answer(id, TOOLS[name]?.run(args) ?? '')
    } catch (error) {
      send({ id, result: { content: [{ type: 'text', text: String(error) }], isError: true } })
    }
  },
})
