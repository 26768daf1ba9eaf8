import { describe, expect, test } from 'vitest'
import { scriptServer, withToolServers, type Rig } from '../../../../test/tool-servers/with-tool-servers.ts'
import type { ToolReply } from '../../../kernel/ports/upstream.ts'
import type { StdioServer } from '../server-kind.ts'

/** One misbehaving server and a well-behaved one. */
function beside(more: Partial<StdioServer>, use: (rig: Rig) => Promise<void>): Promise<void> {
  const servers = [scriptServer('bad', 'misbehaving.ts', more), scriptServer('good', 'misbehaving.ts')]
  return withToolServers(servers, {}, use)
}

const codeOf = (answer: ToolReply) => ('problem' in answer ? `${answer.is} ${answer.problem.code}` : answer.is)

describe('a call to a real child process', () => {
  test('carries the canonical bytes, the idempotency key and the trace id unchanged', () =>
    beside({}, async ({ servers, text }) => {
      const canonical_args = '{"a":1e+30,"b":"\\u000f€","c":{"z":[]}}'
      await servers.call({ server: 'bad', tool: 'echo', canonical_args, idempotency_key: 'k"1', trace: 't1' })
      const received = JSON.parse(await text('bad', 'heard')) as string[]
      const meta = '{"sluice/idempotency-key":"k\\"1","sluice/trace-id":"t1"}'
      expect(received).toContain(
        `{"jsonrpc":"2.0","id":"s-1","method":"tools/call","params":{"name":"echo","arguments":${canonical_args},"_meta":${meta}}}`,
      )
    }))

  test('is a bug if its arguments contain a line break, and nothing is written', () =>
    beside({}, async ({ servers, text }) => {
      const injected = { tool: 'echo', canonical_args: '{}\n{"jsonrpc":"2.0"', idempotency_key: 'k', trace: 't' }
      await expect(servers.call({ server: 'bad', ...injected })).rejects.toThrow('line break')
      expect(JSON.parse(await text('bad', 'heard'))).toHaveLength(5)
    }))

  test('a JSON-RPC error is rejected with that error', () =>
    beside({}, async ({ call }) => {
      expect(await call('bad', 'rejects')).toEqual({
        is: 'rejected',
        error: { code: -32602, message: 'no such parameter', data: { path: '/to' } },
      })
    }))

  test('a tool`s own error is an answer', () =>
    beside({}, async ({ call }) => {
      const result = { content: [{ type: 'text', text: 'no such file' }], isError: true }
      expect(await call('bad', 'reports_error')).toEqual({ is: 'answered', result })
    }))

  test('an unknown server is not sent anything', () =>
    beside({}, async ({ call }) => expect(codeOf(await call('none', 'echo'))).toBe('not_sent tool.unavailable')))
})

describe('only the misbehaving call is affected', () => {
  const faults = [
    ['garbage', 'lost tool.garbled'],
    ['garbage_at_end', 'lost tool.garbled'],
    ['no_result', 'lost tool.garbled'],
    ['text_result', 'lost tool.garbled'],
    ['wrong_content', 'lost tool.garbled'],
    ['both', 'lost tool.garbled'],
    ['deep', 'lost tool.garbled'],
    ['deep_error', 'lost tool.garbled'],
    ['needs_input', 'lost tool.garbled'],
    ['huge', 'lost tool.too_large'],
    ['huge_id_last', 'lost tool.too_large'],
  ] as const
  for (const [tool, outcome] of faults) {
    test(`${tool} is ${outcome}, and other calls are answered`, () =>
      beside({}, async ({ call, text, servers }) => {
        const [before, fault, after] = await Promise.all([
          text('bad', 'slow', { ms: 50 }),
          call('bad', tool),
          text('bad', 'echo', { n: 1 }),
        ])
        expect([before, codeOf(fault), after]).toEqual(['slow but sure', outcome, '{"n":1}'])
        expect(servers.status().map(({ starts }) => starts)).toEqual([1, 1])
      }))
  }

  test('a hanging call times out and is cancelled, while others of the same server are answered', () =>
    beside({ timeout_ms: 1_500 }, async ({ call, text, servers }) => {
      await servers.ready('bad')
      const hanging = call('bad', 'hangs')
      expect(await text('bad', 'echo', { n: 2 })).toBe('{"n":2}')
      expect(codeOf(await hanging)).toBe('lost tool.timeout')
      const received = JSON.parse(await text('bad', 'heard')) as string[]
      expect(received.map((line) => JSON.parse(line) as object)).toContainEqual({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 's-1', reason: 'timeout' },
      })
    }))

  test('an answer after the timeout is dropped and counted', () =>
    beside({ timeout_ms: 1_500 }, async ({ call, text, servers }) => {
      await servers.ready('bad')
      expect(codeOf(await call('bad', 'late'))).toBe('lost tool.timeout')
      await expect.poll(() => servers.status()[0]?.late_answers).toBe(1)
      expect(await text('bad', 'echo')).toBe('{}')
      expect(servers.status()[0]).toMatchObject({ late_answers: 1, starts: 1 })
    }))

  test('if a caller gives up, the call is lost and its cancellation is sent to the server', () =>
    beside({}, async ({ call, text, servers }) => {
      await servers.ready('bad')
      const giving_up = new AbortController()
      const given_up = call('bad', 'hangs', {}, giving_up.signal)
      await text('bad', 'echo')
      giving_up.abort()
      expect(codeOf(await given_up)).toBe('lost tool.cancelled')
      expect(await text('bad', 'heard')).toContain('\\"reason\\":\\"aborted\\"')
      expect(codeOf(await call('bad', 'echo', {}, giving_up.signal))).toBe('not_sent tool.unavailable')
    }))

  test('a second answer to the same call is dropped', () =>
    beside({}, async ({ text, servers }) => {
      expect(await text('bad', 'twice')).toBe('first')
      expect(await text('bad', 'echo', { n: 3 })).toBe('{"n":3}')
      expect(servers.status()[0]).toMatchObject({ late_answers: 1 })
    }))

  test('an answer before its call answers nothing', () =>
    beside({}, async ({ text }) => {
      expect(await text('bad', 'ahead')).toBe('asked')
      expect(await text('bad', 'echo', { n: 4 })).toBe('{"n":4}')
    }))

  test('noise on stdout and a flood of notifications do not disturb an answer', () =>
    beside({}, async ({ text, logged }) => {
      expect(await Promise.all([text('bad', 'chatty'), text('bad', 'floods')])).toEqual([
        'after the noise',
        'dry again',
      ])
      expect(logged.filter((line) => line.includes('not JSON')).length).toBeGreaterThan(0)
      expect(logged.length).toBeLessThan(50)
    }))

  test('a child that dies loses only its own calls and is restarted', () =>
    beside({}, async ({ call, text, servers }) => {
      await Promise.all([servers.ready('bad'), servers.ready('good')])
      const beside_it = text('good', 'slow', { ms: 300 })
      const [hanging, dying] = await Promise.all([call('bad', 'hangs'), call('bad', 'dies')])
      expect([codeOf(hanging), codeOf(dying)]).toEqual(['lost tool.broke_off', 'lost tool.broke_off'])
      expect(await text('bad', 'echo', { n: 5 })).toBe('{"n":5}')
      expect(await beside_it).toBe('slow but sure')
      expect(servers.status().map(({ starts }) => starts)).toEqual([2, 1])
    }))

  test('half an answer is not an answer', () =>
    beside({}, async ({ call }) => expect(codeOf(await call('bad', 'dies_mid_answer'))).toBe('lost tool.broke_off')))

  test('the last messages of a dying child are read', () =>
    beside({}, async ({ text }) => expect(await text('bad', 'answers_then_dies')).toBe('last words')))

  test('an endless line is not kept; its child is ended and replaced', () =>
    beside({}, async ({ call, text, servers }) => {
      expect(codeOf(await call('bad', 'endless'))).toBe('lost tool.too_large')
      expect(await text('bad', 'echo')).toBe('{}')
      expect(servers.status()[0]).toMatchObject({ starts: 2 })
    }))

  test('a child that stops inside a line over the limit is replaced at the timeout', () =>
    beside({ timeout_ms: 1_500 }, async ({ call, text, servers }) => {
      await servers.ready('bad')
      expect(codeOf(await call('bad', 'stuck_line'))).toBe('lost tool.timeout')
      await expect.poll(() => text('bad', 'echo')).toBe('{}')
      expect(servers.status()[0]).toMatchObject({ starts: 2 })
    }))
})

describe('the environment and the log of a child', () => {
  test('it gets only harmless variables of the gate`s environment', () =>
    beside({ env: { OWN: 'given' } }, async ({ text }) => {
      process.env['SLUICE_TEST_SECRET'] = 'planted'
      const env = JSON.parse(await text('bad', 'environment')) as Record<string, string>
      delete process.env['SLUICE_TEST_SECRET']
      expect(env['OWN']).toBe('given')
      expect(env['PATH']).toBe(process.env['PATH'])
      const allowed = ['OWN', 'PATH', 'HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'SHELL', 'TMPDIR', 'TZ', 'USER']
      expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([])
    }))

  test('its stderr is kept in part, logged in part, and never with its configured values', () =>
    beside({ env: { SECRET: 'hunter2-hunter2' } }, async ({ text, servers, logged }) => {
      expect(await text('bad', 'floods_stderr')).toBe('said')
      await expect.poll(() => servers.status()[0]?.stderr.at(-1)).toBe('line 4999 with [secret]')
      expect(servers.status()[0]?.stderr).toHaveLength(50)
      expect(logged.length).toBeLessThan(500)
      expect(JSON.stringify([logged, servers.status()])).not.toContain('hunter2')
    }))
})
