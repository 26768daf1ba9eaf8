import { answer, send, serveRaw, write } from './raw-server.ts'

/**
 * Lists its tools in pages, some of them not shaped like tools. With `last` only the last page is listed, with `endless` the
 * pages never end, with `deep` a schema is nested extremely deep.
 */
const how = process.argv[2]
const DEEP = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
const tool = (name: string) => ({
  name,
  inputSchema: { type: 'object' },
  'x-vendor': 1,
  annotations: { 'x-own': true },
})
const PAGES: Record<string, object> = {
  '': { tools: [tool('one'), { name: 'no schema' }], nextCursor: 'b' },
  b: { tools: [tool('two'), 'not a tool', { inputSchema: {} }], nextCursor: 'c' },
  c: { tools: [tool('three')] },
}

serveRaw({
  tools: () => [],
  onCall: ({ id }) => answer(id, 'called'),
  before({ id, method, params }) {
    if (method !== 'tools/list') return false
    if (how === 'deep') {
      const tools = `[{"name":"deep","inputSchema":${DEEP}},{"name":"flat","inputSchema":{}}]`
      write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${tools}}}\n`)
      return true
    }
    const cursor = typeof params?.['cursor'] === 'string' ? params['cursor'] : how === 'last' ? 'c' : ''
    send({ id, result: how === 'endless' ? { tools: [], nextCursor: 'same' } : (PAGES[cursor] ?? { tools: [] }) })
    return true
  },
})
