import { Agent as PlainAgent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { exchange, readBody } from './exchange.ts'

/** A real socket that does with each connection what it is told. */
async function withPort(onConnection: (socket: Socket) => void, use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

const POST = { method: 'POST', headers: {}, body: '{}' } as const
const post = (port: number, scheme: 'http' | 'https' = 'http') =>
  exchange(new URL(`${scheme}://127.0.0.1:${port}/`), POST, scheme === 'http' ? new PlainAgent() : new SecureAgent())

describe('what is known of a request without an answer', () => {
  test('nothing left when nobody could be connected to', async () => {
    let closed = 0
    await withPort(
      () => undefined,
      async (port) => void (closed = port),
    )
    const refused = post(closed)
    expect(await refused.reply).toMatchObject({ is: 'fault', says: 'ECONNREFUSED', unsent: true, unreachable: true })
    expect(refused.mayHaveLeft()).toBe(false)
  })

  test('nothing left when the other side cannot prove who it is', () =>
    withPort(
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
      async (port) => expect(await post(port, 'https').reply).toMatchObject({ unsent: true, unreachable: true }),
    ))

  test('nothing left when it was given up before it was connected, which says nothing of the server', () =>
    withPort(
      () => undefined,
      async (port) => {
        const given_up = post(port)
        given_up.abort()
        expect(await given_up.reply).toMatchObject({ is: 'fault', unsent: true, unreachable: false })
      },
    ))

  test('nobody knows once there was a connection', () =>
    withPort(
      (socket) => socket.destroy(),
      async (port) => expect(await post(port).reply).toMatchObject({ is: 'fault', unsent: false, unreachable: false }),
    ))

  test('an answer that is not HTTP is none', () =>
    withPort(
      (socket) => socket.end('220 mail.example ESMTP\r\n'),
      async (port) => expect(await post(port).reply).toMatchObject({ is: 'fault', unsent: false }),
    ))

  test('a body that is shorter than it said is broken off, one over the limit too large', () =>
    withPort(
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello'),
      async (port) => {
        const [whole, cut] = await Promise.all([post(port).reply, post(port).reply])
        if (whole.is === 'fault' || cut.is === 'fault') throw new Error('no reply')
        expect(await readBody(whole.body, 100)).toBe('broke_off')
        expect(await readBody(cut.body, 4)).toBe('too_large')
      },
    ))
})
