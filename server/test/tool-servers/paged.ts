import { answer, send, serveRaw } from './raw-server.ts'

/** Lists its tools in pages, some of them not shaped like tools; with `endless` the pages never end. */
const endless = process.argv[2] === 'endless'
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
    const cursor = typeof params?.['cursor'] === 'string' ? params['cursor'] : ''
    send({ id, result: endless ? { tools: [], nextCursor: 'same' } : (PAGES[cursor] ?? { tools: [] }) })
    return true
  },
})
