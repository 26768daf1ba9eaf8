import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonIn, openConnection, postText } from './connection.ts'

const TEXT = JSON.stringify({ says: 'grüße, 世界', more: 'x'.repeat(100_000) })

/** The ways in which the systems of the bench answer. */
const WAYS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/length': (response) => response.writeHead(200, { 'content-length': Buffer.byteLength(TEXT) }).end(TEXT),
  '/chunked': (response) => {
    response.write(TEXT.slice(0, 7))
    setImmediate(() => response.end(TEXT.slice(7)))
  },
  '/events': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('id: 1\ndata: {"progress":1}\n\n')
    setImmediate(() => response.end(`event: message\ndata: ${TEXT}\n\n`))
  },
  '/nothing': (response) => response.writeHead(202).end(),
}

const server = createServer((request, response) => WAYS[request.url ?? '']?.(response))
let base: string

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test('answers of every kind are read whole, one after the other on one connection', async () => {
  const connection = await openConnection(new URL(base))
  for (const way of ['/length', '/chunked', '/events', '/length']) {
    const reply = await connection.ask(postText(new URL(way, base), '', '{}'))
    expect(reply.status, way).toBe(200)
    expect(JSON.parse(jsonIn(reply)), way).toEqual(JSON.parse(TEXT))
  }
  expect(await connection.ask(postText(new URL('/nothing', base), '', '{}'))).toMatchObject({ status: 202, body: '' })
  connection.close()
})
