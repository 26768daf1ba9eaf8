import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  readonly port: number
  /** From now on connections go there. Those that exist are cut. */
  pointTo(port: number): void
  close(): Promise<void>
}

/** One address in front of several servers, as a virtual address or a balancer is for a database that fails over. */
export async function tcpProxy(to: number): Promise<TcpProxy> {
  let target = to
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ port: target, host: '127.0.0.1' })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.setNoDelay(true)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    pointTo(port) {
      target = port
      cut()
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
