import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient, isProblem, type ProblemError } from './client.ts'

type Seen = { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers'] }
type Answer = (seen: Seen, response: ServerResponse, count: number) => void

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that answers with this function and records the requests. */
async function serverWith(answer: Answer): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers }
    seen.push(one)
    request.resume()
    request.on('end', () => answer(one, response, seen.length))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const drop = (response: ServerResponse) => void response.socket?.destroy()
const failure = async (tried: Promise<unknown>): Promise<ProblemError> => {
  const error = await tried.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isProblem(error)) throw new Error('expected a problem', { cause: error })
  return error
}

describe('a request', () => {
  test('goes to its route with the key, and a path parameter stays one segment of the path', async () => {
    const { url, seen } = await serverWith((_, response) => json(response, 200, { ok: true }))
    const gate = createClient({ url: `${url}/`, key: 'sk_1' })
    await gate.ask('GET /v1/approvals/{approval_id}', { path: { approval_id: 'a/../b?c' } })
    expect(seen[0]).toMatchObject({ url: '/v1/approvals/a%2F..%2Fb%3Fc', headers: { authorization: 'Bearer sk_1' } })
    for (const approval_id of ['', '.', '..'])
      await expect(gate.ask('GET /v1/approvals/{approval_id}', { path: { approval_id } })).rejects.toThrow(TypeError)
  })

  test('a refusal is thrown as its problem, with the key of the request', async () => {
    const problem = { code: 'call.blocked', title: 'no', detail: 'by a rule', about: { rules: 'r' }, trace_id: 't' }
    const { url } = await serverWith((_, response) => json(response, 403, problem))
    const codes: string[] = []
    const gate = createClient({ url, onProblem: ({ code }) => codes.push(code) })
    const error = await failure(gate.ask('POST /v1/calls', { body: { tool: 's__t' }, idempotency_key: 'k1' }))
    expect([error.code, error.problem.status, error.problem.about, error.idempotency_key]).toEqual([
      'call.blocked',
      403,
      { rules: 'r' },
      'k1',
    ])
    expect(codes).toEqual(['call.blocked'])
  })

  test('an answer that is not the gate`s is a problem too', async () => {
    const { url } = await serverWith((_, response) => void response.writeHead(502).end('<html>'))
    expect((await failure(createClient({ url }).ask('GET /healthz'))).code).toBe('http.502')
  })

  test('a redirect is not followed: credentials are for one gate', async () => {
    const other = await serverWith((_, response) => json(response, 200, {}))
    const { url } = await serverWith((_, response) => void response.writeHead(307, { location: other.url }).end())
    expect((await failure(createClient({ url, key: 'sk', retries: 0 }).ask('GET /healthz'))).code).toBe('no_answer')
    expect(other.seen).toEqual([])
  })
})

describe('a request without an answer', () => {
  test.each(['POST', 'DELETE'] as const)('a %s is never retried', async (method) => {
    const { url, seen } = await serverWith((_, response) => drop(response))
    const gate = createClient({ url, retries: 5 })
    const error = await failure(gate.send(method, '/v1/calls', method === 'POST' ? { json: {} } : {}))
    expect([error.code, seen.length]).toEqual(['no_answer', 1])
    expect(error.idempotency_key).toBe(seen[0]?.headers['idempotency-key'])
    expect(error.idempotency_key === undefined).toBe(method === 'DELETE')
  })

  test('nor is one whose answer is cut off', async () => {
    const { url, seen } = await serverWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"status":', () => drop(response))
    })
    const error = await failure(createClient({ url }).ask('POST /v1/calls', { body: { tool: 's__t' } }))
    expect([error.code, seen.length, typeof error.idempotency_key]).toEqual(['no_answer', 1, 'string'])
  })

  test('each POST has a key of its own', async () => {
    const { url, seen } = await serverWith((_, response) => json(response, 200, {}))
    const gate = createClient({ url })
    await gate.ask('POST /v1/calls', { body: { tool: 's__t' } })
    await gate.ask('POST /v1/calls', { body: { tool: 's__t' } })
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  test('a GET is retried a limited number of times', async () => {
    const { url, seen } = await serverWith((_, response, count) =>
      count < 3 ? drop(response) : json(response, 200, { ok: true }),
    )
    expect(await createClient({ url }).ask('GET /healthz')).toEqual({ ok: true })
    expect(seen).toHaveLength(3)
  })
})

test('a list is read page by page', async () => {
  const { url, seen } = await serverWith(({ url: path }, response) =>
    json(response, 200, path.includes('after=7') ? { items: [{ n: 2 }] } : { items: [{ n: 1 }], next: 7 }),
  )
  const items: unknown[] = []
  for await (const item of createClient({ url }).items('GET /v1/approvals', { query: { state: 'any' } }))
    items.push(item)
  expect(items).toEqual([{ n: 1 }, { n: 2 }])
  expect(seen.map((one) => one.url)).toEqual(['/v1/approvals?state=any', '/v1/approvals?state=any&after=7'])
})

describe('a stream', () => {
  const head = { 'content-type': 'text/event-stream' }
  const collect = async (url: string, most: number) => {
    const stop = new AbortController()
    const states: string[] = []
    const ids: unknown[] = []
    const stream = createClient({ url }).changes({ signal: stop.signal, onState: (state) => states.push(state) })
    for await (const event of stream) {
      ids.push(event.data['n'])
      if (ids.length === most) stop.abort()
    }
    return { ids, states }
  }

  test('resumes after the last event if the connection is lost, even in the middle of an event', async () => {
    const { url, seen } = await serverWith((_, response, count) => {
      response.writeHead(200, head)
      if (count === 1) {
        response.write('retry: 1\n\nid: b:1\nevent: call\ndata: {"n":1}\n\n')
        response.write('id: b:2\nevent: call\nda', () => setImmediate(() => drop(response)))
      } else response.write(': still here\n\nid: b:2\nevent: call\r\ndata: {"n":2}\r\n\r\n')
    })
    expect(await collect(url, 2)).toEqual({ ids: [1, 2], states: ['open', 'lost', 'open'] })
    expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'b:1'])
  })

  test('ends when it is aborted, and throws when the gate refuses', async () => {
    const { url } = await serverWith((_, response) => json(response, 403, { code: 'auth.forbidden' }))
    expect((await failure(createClient({ url }).changes().next())).code).toBe('auth.forbidden')
    const aborted = new AbortController()
    aborted.abort()
    expect(await createClient({ url }).changes({ signal: aborted.signal }).next()).toMatchObject({ done: true })
  })

  test('ends with a problem if its key is no longer valid', async () => {
    const { url } = await serverWith((_, response) => {
      response.writeHead(200, head).end('event: goodbye\ndata: {"reason":"unauthorised"}\n\n')
    })
    expect((await failure(createClient({ url }).changes().next())).problem.status).toBe(401)
  })

  test('replaces a connection that is silent for too long', async () => {
    const { url, seen } = await serverWith((_, response, count) => {
      response.writeHead(200, head)
      response.write(count === 1 ? ': hello\n\n' : 'event: call\ndata: {"n":1}\n\n')
    })
    const stop = new AbortController()
    const events = createClient({ url }).changes({ signal: stop.signal, silence_ms: 50 })
    expect((await events.next()).value?.data).toEqual({ n: 1 })
    stop.abort()
    expect(seen).toHaveLength(2)
  })
})
