import { describe, expect, test } from 'vitest'
import { startHttp, withHttp, type HttpProcess } from '../../../../test/tool-servers/with-http-servers.ts'
import { scriptServer, withToolServers, type Rig } from '../../../../test/tool-servers/with-tool-servers.ts'
import type { ToolReply } from '../../../kernel/ports/upstream.ts'
import type { HttpServer } from '../server-kind.ts'

type Use = (rig: Rig, bad: HttpProcess, good: HttpProcess) => Promise<void>

/** One misbehaving server, a well-behaved one over HTTP and another on stdio. */
function beside(more: Partial<HttpServer>, use: Use): Promise<void> {
  const starting = [startHttp('misbehaving-http.ts'), startHttp('misbehaving-http.ts')]
  return withHttp(starting, async (bad, good) => {
    if (bad === undefined || good === undefined) throw new Error('no servers')
    const servers = [bad.as('bad', more), good.as('good'), scriptServer('child', 'misbehaving.ts')]
    await withToolServers(servers, {}, (rig) => use(rig, bad, good))
  })
}

const codeOf = (answer: ToolReply) => ('problem' in answer ? `${answer.is} ${answer.problem.code}` : answer.is)
type ReceivedRequest = { method: string; headers: Record<string, string>; body: string }
const receivedBy = async ({ text }: Rig, server: string) => JSON.parse(await text(server, 'heard')) as ReceivedRequest[]
const callsOf = (received: readonly ReceivedRequest[], tool: string) =>
  received.filter(({ body }) => body.includes(`"name":"${tool}"`))

describe('a call over HTTP', () => {
  test('carries the canonical bytes, the idempotency key, the trace id and its headers unchanged', () =>
    beside({ headers: { 'x-api-key': 'key of the operator' } }, async (rig) => {
      const canonical_args = '{"a":1e+30,"b":"\\u000f€","c":{"z":[]}}'
      const call = { server: 'bad', tool: 'echo', canonical_args, idempotency_key: 'k"1', trace: 't1' }
      expect(codeOf(await rig.servers.call(call))).toBe('answered')
      const [received] = callsOf(await receivedBy(rig, 'bad'), 'echo')
      const meta = '{"sluice/idempotency-key":"k\\"1","sluice/trace-id":"t1"}'
      expect(received?.body.trimEnd()).toBe(
        `{"jsonrpc":"2.0","id":"s-1","method":"tools/call","params":{"name":"echo","arguments":${canonical_args},"_meta":${meta}}}`,
      )
      expect(received?.headers).toMatchObject({
        'x-api-key': 'key of the operator',
        'mcp-protocol-version': '2025-11-25',
        'mcp-session-id': expect.any(String) as string,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      })
    }))

  test('is answered by a stream of events as by one body, with either line end', () =>
    beside({}, async ({ text }) => {
      expect(await text('bad', 'echo_stream', { n: 1 })).toBe('{"n":1}')
      expect(await text('bad', 'odd_stream')).toBe('œuf')
    }))

  test('a stream that ends early is asked for its rest, and the call is not sent again', () =>
    beside({}, async (rig) => {
      expect(await rig.text('bad', 'polls')).toBe('the rest')
      expect(codeOf(await rig.call('bad', 'polls', { never: true }))).toBe('lost tool.broke_off')
      expect(callsOf(await receivedBy(rig, 'bad'), 'polls')).toHaveLength(2)
    }))

  test('a JSON-RPC error is rejected with that error, even with another status', () =>
    beside({}, async ({ call }) => {
      expect(await call('bad', 'rejects')).toEqual({ is: 'rejected', error: { code: -32602, message: 'no' } })
      expect(await call('bad', 'rejects_400')).toMatchObject({ is: 'rejected', error: { code: -32020 } })
    }))
})

describe('only the misbehaving call is affected', () => {
  const FAULTS: readonly [tool: string, args: object, outcome: string][] = [
    ['garbage', {}, 'lost tool.garbled'],
    ['nonsense', {}, 'lost tool.garbled'],
    ['garbage_stream', {}, 'lost tool.garbled'],
    ['wrong_type', {}, 'lost tool.garbled'],
    ['no_type', {}, 'lost tool.garbled'],
    ['accepted', {}, 'lost tool.garbled'],
    ['no_result', {}, 'lost tool.garbled'],
    ['other_id', {}, 'lost tool.garbled'],
    ['needs_input', {}, 'lost tool.garbled'],
    ['deep', {}, 'lost tool.garbled'],
    ['ends_stream', {}, 'lost tool.broke_off'],
    ['hangs_up', {}, 'lost tool.broke_off'],
    ['dies_mid_answer', {}, 'lost tool.broke_off'],
    ['dies_mid_stream', {}, 'lost tool.broke_off'],
    ['huge', {}, 'lost tool.too_large'],
    ['huge_stream', {}, 'lost tool.too_large'],
    ['endless', {}, 'lost tool.too_large'],
    ['endless_event', {}, 'lost tool.too_large'],
    ['unread', {}, 'not_sent tool.unavailable'],
    ['status', { status: 401 }, 'not_sent tool.unavailable'],
    ['status', { status: 403 }, 'not_sent tool.unavailable'],
    ['status', { status: 404 }, 'not_sent tool.unavailable'],
    ['status', { status: 405 }, 'not_sent tool.unavailable'],
    ['status', { status: 429 }, 'not_sent tool.unavailable'],
    ['status', { status: 204 }, 'lost tool.garbled'],
    ['status', { status: 301 }, 'lost tool.garbled'],
    ['status', { status: 303 }, 'lost tool.garbled'],
    ['status', { status: 400 }, 'lost tool.garbled'],
    ['status', { status: 408 }, 'lost tool.garbled'],
    ['status', { status: 500 }, 'lost tool.garbled'],
    ['status', { status: 502 }, 'lost tool.garbled'],
    ['status', { status: 503 }, 'lost tool.garbled'],
    ['status', { status: 504 }, 'lost tool.garbled'],
  ]
  test('whatever happens to one call, other calls are answered and nothing is restarted', () =>
    beside({}, async ({ call, text, servers }) => {
      await Promise.all(['bad', 'good', 'child'].map((server) => servers.ready(server)))
      const met: (typeof FAULTS)[number][] = []
      for (const [tool, args] of FAULTS) {
        const [before, fault, ...others] = await Promise.all([
          text('bad', 'slow', { ms: 60 }),
          call('bad', tool, args),
          text('bad', 'echo', { n: 1 }),
          text('good', 'echo', { n: 2 }),
          text('child', 'echo', { n: 3 }),
        ])
        met.push([tool, args, codeOf(fault)])
        expect([tool, before, ...others]).toEqual([tool, 'slow but sure', '{"n":1}', '{"n":2}', '{"n":3}'])
      }
      expect(met).toEqual(FAULTS)
      expect(servers.status().map(({ starts }) => starts)).toEqual([1, 1, 1])
    }))

  test('a hanging call times out and is cancelled, while others of the same server are answered', () =>
    beside({ timeout_ms: 1_500 }, async (rig) => {
      await rig.servers.ready('bad')
      const hanging = [rig.call('bad', 'hangs'), rig.call('bad', 'hangs_in_stream')]
      expect(await rig.text('bad', 'echo', { n: 2 })).toBe('{"n":2}')
      expect((await Promise.all(hanging)).map(codeOf)).toEqual(['lost tool.timeout', 'lost tool.timeout'])
      const cancelled = async () =>
        (await receivedBy(rig, 'bad')).filter(({ body }) => body.includes('"reason":"timeout"')).map(({ body }) => body)
      await expect.poll(async () => (await cancelled()).length).toBe(2)
      expect((await cancelled()).map((body) => JSON.parse(body) as object)).toContainEqual({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 's-1', reason: 'timeout' },
      })
    }))

  test('if a caller gives up, the call is lost and its cancellation is sent to the server', () =>
    beside({}, async (rig) => {
      await rig.servers.ready('bad')
      const giving_up = new AbortController()
      const given_up = rig.call('bad', 'hangs', {}, giving_up.signal)
      await rig.text('bad', 'echo')
      giving_up.abort()
      expect(codeOf(await given_up)).toBe('lost tool.cancelled')
      await expect.poll(async () => JSON.stringify(await receivedBy(rig, 'bad'))).toContain('aborted')
      expect(codeOf(await rig.call('bad', 'echo', {}, giving_up.signal))).toBe('not_sent tool.unavailable')
    }))

  test('a second answer to the same call is dropped and counted', () =>
    beside({}, async ({ text, servers }) => {
      expect(await text('bad', 'twice')).toBe('first')
      await expect.poll(() => servers.status()[0]?.late_answers).toBe(1)
      expect(await text('bad', 'lingers')).toBe('said')
      expect(await text('bad', 'echo', { n: 3 })).toBe('{"n":3}')
    }))

  test('an endless answer is cut off', () =>
    beside({}, async ({ call, text }) => {
      expect(codeOf(await call('bad', 'endless'))).toBe('lost tool.too_large')
      await expect.poll(() => text('bad', 'cut')).toBe('1')
      expect(codeOf(await call('bad', 'endless_event'))).toBe('lost tool.too_large')
      await expect.poll(() => text('bad', 'cut')).toBe('2')
    }))

  test('a flood of notifications does not disturb an answer', () =>
    beside({}, async ({ text, logged }) => {
      expect(await text('bad', 'floods')).toBe('dry again')
      expect(logged.length).toBeLessThan(50)
    }))

  test('a server that dies loses only its own calls', () =>
    beside({}, async ({ call, text, servers }) => {
      await Promise.all(['bad', 'good', 'child'].map((server) => servers.ready(server)))
      const around = [text('good', 'slow', { ms: 300 }), text('child', 'slow', { ms: 300 })]
      const [hanging, dying] = await Promise.all([call('bad', 'hangs'), call('bad', 'dies')])
      expect([codeOf(hanging), codeOf(dying)]).toEqual(['lost tool.broke_off', 'lost tool.broke_off'])
      // While it is dying a connection may still be made and then break, with an unknown result.
      await expect.poll(async () => codeOf(await call('bad', 'echo'))).toBe('not_sent tool.unavailable')
      expect(await Promise.all(around)).toEqual(['slow but sure', 'slow but sure'])
      expect(servers.status().map(({ state }) => state === 'ready')).toEqual([false, true, true])
    }))

  test('a request that is rejected before it was complete did not run', () =>
    beside({}, async ({ call, text }) => {
      expect(codeOf(await call('bad', 'echo', { text: 'x'.repeat(30_000_000) }))).toBe('not_sent tool.unavailable')
      expect(await text('bad', 'echo')).toBe('{}')
    }))
})

describe('where requests go', () => {
  test('a redirect to another origin is not followed, and no credential is sent there', () =>
    beside({ headers: { authorization: 'Bearer of the operator' } }, async (rig, _bad, good) => {
      const outcomes = []
      for (const status of [301, 302, 303, 307, 308])
        outcomes.push(codeOf(await rig.call('bad', 'redirects', { status, to: good.url })))
      const [garbled, not_sent] = ['lost tool.garbled', 'not_sent tool.unavailable']
      expect(outcomes).toEqual([garbled, garbled, garbled, not_sent, not_sent])
      const received = await receivedBy(rig, 'good')
      expect(callsOf(received, 'redirects')).toEqual([])
      expect(JSON.stringify(received)).not.toContain('operator')
      expect(JSON.stringify(await receivedBy(rig, 'bad'))).toContain('Bearer of the operator')
    }))

  test('a redirect within the origin is followed, a loop is not', () =>
    withHttp([startHttp('misbehaving-http.ts', { path: '/moved' })], async (server) => {
      if (server === undefined) throw new Error('no server')
      await withToolServers([server.as('moved')], {}, async ({ text, call }) => {
        expect(await text('moved', 'echo', { n: 1 })).toBe('{"n":1}')
        expect(codeOf(await call('moved', 'redirects', { to: '/moved' }))).toBe('not_sent tool.unavailable')
      })
    }))
})
