import { answer, serveRaw } from './raw-server.ts'

/** Does not go when asked: neither when stdin ends nor on SIGTERM. */
process.on('SIGTERM', () => undefined)
setInterval(() => undefined, 1_000)
serveRaw({ tools: () => [{ name: 'pid' }], onCall: ({ id }) => answer(id, String(process.pid)) })
