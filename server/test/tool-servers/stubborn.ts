import { answer, serveRaw } from './raw-server.ts'

/** Does not exit when stdin ends or on SIGTERM. */
process.on('SIGTERM', () => undefined)
setInterval(() => undefined, 1_000)
serveRaw({ tools: () => [{ name: 'pid' }], onCall: ({ id }) => answer(id, String(process.pid)) })
