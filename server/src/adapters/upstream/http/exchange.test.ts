import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readBody } from './body.ts'
import { exchange, headerOf, type OutgoingExchange, type HttpReply } from './exchange.ts'
import { openPool } from './pool.ts'

/** A real socket that handles each connection with this function. */
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

function post(port: number, scheme: 'http' | 'https' = 'http', body = '{}') {
  const url = new URL(`${scheme}://127.0.0.1:${port}/`)
  return exchange(url, { method: 'POST', headers: {}, body }, openPool(url.origin))
}

async function replyTo(asking: OutgoingExchange): Promise<HttpReply> {
  const reply = await asking.reply
  if (reply.is === 'fault') throw new Error(reply.says)
  return reply
}

describe('a request without an answer', () => {
  test('was not sent if no connection could be made', async () => {
    let closed = 0
    await withPort(
      () => undefined,
      async (port) => void (closed = port),
    )
    const refused = post(closed)
    expect(await refused.reply).toMatchObject({ is: 'fault', says: 'ECONNREFUSED', unsent: true, unreachable: true })
    expect(refused.mayHaveLeft()).toBe(false)
  })

  test('is not sent if the lease expired while it was connecting', async () => {
    let received = 0
    await withPort(
      (socket) => socket.on('data', () => (received += 1)),
      async (port) => {
        const url = new URL(`http://127.0.0.1:${port}/`)
        const ask = { method: 'POST', headers: {}, body: '{}', mayAct: () => false } as const
        const asking = exchange(url, ask, openPool(url.origin))
        expect(await asking.reply).toMatchObject({ is: 'fault', unsent: true })
        expect([asking.mayHaveLeft(), received]).toEqual([false, 0])
      },
    )
  })

  test('was not sent if the other side cannot prove its identity', () =>
    withPort(
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
      async (port) => expect(await post(port, 'https').reply).toMatchObject({ unsent: true, unreachable: true }),
    ))

  test('was not sent if it was aborted before it was connected, which says nothing about the server', () =>
    withPort(
      () => undefined,
      async (port) => {
        const aborted = post(port)
        aborted.abort()
        expect(await aborted.reply).toMatchObject({ is: 'fault', unsent: true, unreachable: false })
      },
    ))

  test('has an unknown result once there was a connection', () =>
    withPort(
      (socket) => socket.destroy(),
      async (port) => expect(await post(port).reply).toMatchObject({ is: 'fault', unsent: false, unreachable: false }),
    ))

  test('does not count an answer that is not HTTP', () =>
    withPort(
      (socket) => socket.end('220 mail.example ESMTP\r\n'),
      async (port) => expect(await post(port).reply).toMatchObject({ is: 'fault', unsent: false }),
    ))

  test('is cut off if its body is shorter than announced, and too large over the limit', () =>
    withPort(
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello'),
      async (port) => {
        const [whole, cut] = await Promise.all([replyTo(post(port)), replyTo(post(port))])
        expect(await readBody(whole.body, 100)).toBe('broke_off')
        expect(await readBody(cut.body, 4)).toBe('too_large')
      },
    ))
})

describe('an answer', () => {
  /** Answers the head of a request, and reads nothing more. */
  const refusesAtOnce = (socket: Socket) =>
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n')
    })

  test('is early if it comes before the whole request was sent, and only then', () =>
    withPort(refusesAtOnce, async (port) => {
      expect(await replyTo(post(port, 'http', 'x'.repeat(50_000_000)))).toMatchObject({ status: 503, early: true })
      expect(await replyTo(post(port))).toMatchObject({ status: 503, early: false })
    }))

  test('is not an interim response, and has one value for a repeated header', () =>
    withPort(
      (socket) =>
        socket.once('data', () =>
          socket.end(
            'HTTP/1.1 103 Early\r\nx-a: 0\r\n\r\nHTTP/1.1 200 OK\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n',
          ),
        ),
      async (port) => {
        const reply = await replyTo(post(port))
        expect(reply.status).toBe(200)
        expect(headerOf(reply, 'x-a')).toBe('1')
      },
    ))

  test('waits at the server while nobody reads it, and is complete when somebody does', () => {
    const size = 32_000_000
    let is_out = false
    return withPort(
      (socket) =>
        socket.once('data', () => {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
          socket.write(Buffer.alloc(size), () => (is_out = true))
        }),
      async (port) => {
        const { body } = await replyTo(post(port))
        // Without backpressure everything would have arrived in this many turns.
        for (let turn = 0; turn < 3_000; turn += 1) await nextTurn()
        expect(is_out).toBe(false)
        expect(await readBody(body, size)).toHaveLength(size)
      },
    )
  })
})
