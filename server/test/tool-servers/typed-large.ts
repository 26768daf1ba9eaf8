import { send, serveRaw } from './raw-server.ts'

/** Tools with output schemas that answer with as many characters as they are asked for. */
const object = (text: object) => ({ type: 'object', properties: { text }, required: ['text'] })
const SCHEMAS: Readonly<Record<string, object>> = {
  free: object({ type: 'string' }),
  strict: object({ type: 'string', pattern: '^x*$' }),
  numbers: { type: 'object', properties: { numbers: { type: 'array', items: { type: 'integer' } } } },
}

serveRaw({
  tools: () => Object.entries(SCHEMAS).map(([name, outputSchema]) => ({ name, outputSchema })),
  onCall({ id, name, args }) {
    const size = Number(args['size'])
    const structuredContent =
      name === 'numbers' ? { numbers: Array.from({ length: size }, (_, at) => at) } : { text: 'x'.repeat(size) }
    const text = JSON.stringify(structuredContent)
    send({ id, result: { content: [{ type: 'text', text }], structuredContent } })
  },
})
