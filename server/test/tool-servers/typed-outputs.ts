import { answer, serveRaw } from './raw-server.ts'

/** Tools without an output schema, with one of an object, and with one of a list, which only the newest clients accept. */
serveRaw({
  tools: () => [
    { name: 'plain' },
    { name: 'object', outputSchema: { type: 'object' } },
    { name: 'list', outputSchema: { type: 'array' } },
  ],
  onCall: ({ id }) => void answer(id, 'done'),
})
