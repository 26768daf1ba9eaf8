import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { isClientGone } from './client-gone.ts'

/** As Node reports it for a connection to a database that was reset. */
const ownConnectionReset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })

test('a request fails because of its client only if that client has disconnected', async () => {
  const judged = Promise.withResolvers<readonly boolean[]>()
  const server = createServer((incoming) => {
    const before = isClientGone(ownConnectionReset, incoming.socket)
    incoming.resume()
    incoming.once('error', (error) =>
      judged.resolve([before, isClientGone(error, incoming.socket), isClientGone(new Error('other'), incoming.socket)]),
    )
    // Half of the body has arrived; now the client goes away.
    incoming.once('data', () => sent.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': 10 } })
  sent.on('error', () => undefined)
  sent.write('half')
  expect(await judged.promise).toEqual([false, true, false])
  server.close()
})
