import { describe, expect, test } from 'vitest'
import { freePort } from '../../../../test/free-port.ts'
import { startHttp, withHttp, type HttpProcess } from '../../../../test/tool-servers/with-http-servers.ts'
import { withToolServers, type Rig } from '../../../../test/tool-servers/with-tool-servers.ts'
import type { ToolReply } from '../../../kernel/ports/upstream.ts'
import type { HttpServer } from '../server-kind.ts'
import type { UpstreamTuning } from '../tuning.ts'

const QUICK: Partial<UpstreamTuning> = { restart: { base_ms: 20, cap_ms: 40 } }
const codeOf = (answer: ToolReply) => ('problem' in answer ? `${answer.is} ${answer.problem.code}` : answer.is)

function withOne(
  script: string,
  options: Parameters<typeof startHttp>[1] & {
    more?: (server: HttpProcess) => Partial<HttpServer>
    tuning?: Partial<UpstreamTuning>
  },
  use: (rig: Rig, server: HttpProcess) => Promise<void>,
): Promise<void> {
  return withHttp([startHttp(script, options)], async (server) => {
    if (server === undefined) throw new Error('no server')
    const config = server.as('s', options.more?.(server) ?? {})
    await withToolServers([config], { ...QUICK, ...options.tuning }, (rig) => use(rig, server))
  })
}

/** The same with a server that can be started again at its address. */
async function withOneTwice(
  script: string,
  options: { readonly args?: readonly string[] },
  use: (rig: Rig, server: HttpProcess, startAgain: () => Promise<HttpProcess>) => Promise<void>,
): Promise<void> {
  const there = { ...options, env: { PORT: String(await freePort()) } }
  await withOne(script, there, (rig, server) => use(rig, server, () => startHttp(script, there)))
}

const namesOf = ({ listings }: Rig) => listings.at(-1)?.definitions.map(({ name }) => name)

describe('a session', () => {
  test('that the server forgot is opened again, and the call that found out is sent once more and runs once', () =>
    withOne('misbehaving-http.ts', {}, async ({ text, call, servers }) => {
      expect(await text('s', 'forgets')).toBe('forgotten')
      const calls = await Promise.all([1, 2, 3].map((n) => text('s', 'echo', { n })))
      expect(calls).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
      expect(servers.status()[0]).toMatchObject({ starts: 2, state: 'ready', breaker: 'closed' })
      const received = JSON.parse(await text('s', 'heard')) as { headers: Record<string, string>; body: string }[]
      const sessions = received
        .filter(({ body }) => body.includes('"arguments":{"n":2}'))
        .map(({ headers }) => headers['mcp-session-id'])
      expect(new Set(sessions).size).toBe(2)
      expect(codeOf(await call('s', 'hangs_up'))).toBe('lost tool.broke_off')
    }))

  test('is ended properly when the gate ends, and calls in progress are lost', () =>
    withOne('misbehaving-http.ts', {}, async ({ call, text, servers }, { as }) => {
      const in_progress = call('s', 'hangs')
      await text('s', 'echo')
      await servers.close()
      expect(codeOf(await in_progress)).toBe('lost tool.broke_off')
      expect(codeOf(await call('s', 'echo'))).toBe('not_sent tool.unavailable')
      expect(servers.status()[0]).toMatchObject({ state: 'closed', starts: 1 })
      await withToolServers([as('again')], {}, async (rig) => {
        const received = JSON.parse(await rig.text('again', 'heard')) as { method: string }[]
        expect(received.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
      })
    }))
})

describe('a server over HTTP', () => {
  test('that changes its tools is listed again', () =>
    withOne('misbehaving-http.ts', {}, async (rig) => {
      await rig.text('s', 'becomes', { tools: [{ name: 'new', description: 'now sends money' }] })
      await expect.poll(() => namesOf(rig)).toContain('new')
    }))

  test('whose notification stream broke is listed again when it is back', () =>
    withOne('misbehaving-http.ts', {}, async (rig) => {
      await rig.text('s', 'hangs_up_standing', { tools: [{ name: 'missed' }] })
      await expect.poll(() => namesOf(rig)).toContain('missed')
      expect(rig.servers.status()[0]).toMatchObject({ starts: 1 })
    }))

  test('that is down rejects its calls, and is found when it is up', () =>
    withOneTwice('misbehaving-http.ts', {}, async ({ call, text, servers }, { stop }, startAgain) => {
      expect(await text('s', 'echo')).toBe('{}')
      await stop()
      await expect.poll(() => servers.status()[0]?.state).toBe('waiting')
      expect(codeOf(await call('s', 'echo'))).toBe('not_sent tool.unavailable')
      const again = await startAgain()
      try {
        await expect.poll(() => text('s', 'echo', { n: 1 })).toBe('{"n":1}')
      } finally {
        await again.stop()
      }
    }))

  test('of the newer era that was restarted is found again, with its new tools', () =>
    withOneTwice('sdk-http.ts', { args: ['modern'] }, async (rig, { stop }, startAgain) => {
      expect(await rig.servers.ready('s')).toMatchObject({ ok: true })
      await stop()
      const again = await startAgain()
      try {
        await expect.poll(() => rig.text('s', 'near', { region: 'x' })).toBe('near x')
        await expect.poll(() => rig.servers.status()[0]?.starts).toBeGreaterThan(1)
      } finally {
        await again.stop()
      }
    }))

  test('that never answers the probe for the newer era is tried as an older one', () =>
    withOne(
      'misbehaving-http.ts',
      { env: { IGNORES_PROBE: '1' }, tuning: { probe_timeout_ms: 200 } },
      async ({ text, servers }) => {
        expect(await text('s', 'echo')).toBe('{}')
        expect(servers.status()[0]).toMatchObject({ protocol: '2025-11-25', starts: 2 })
      },
    ))

  test('that fails repeatedly is not tried for a while', () =>
    withOne(
      'misbehaving-http.ts',
      { tuning: { breaker: { threshold: 3, base_ms: 60_000, cap_ms: 60_000 } } },
      async ({ call, servers }) => {
        for (let n = 0; n < 3; n += 1) expect(codeOf(await call('s', 'hangs_up'))).toBe('lost tool.broke_off')
        expect(codeOf(await call('s', 'echo'))).toBe('not_sent tool.unavailable')
        expect(servers.status()[0]).toMatchObject({ breaker: 'open' })
      },
    ))

  test('gets no more concurrent calls than its limit', () =>
    withOne(
      'misbehaving-http.ts',
      { more: () => ({ concurrency: 2 }), tuning: { queue: 3 } },
      async ({ call, servers }) => {
        await servers.ready('s')
        const calls = Array.from({ length: 7 }, () => call('s', 'slow', { ms: 100 }))
        expect(servers.status()[0]).toMatchObject({ active: 2, queued: 3 })
        const outcomes = (await Promise.all(calls)).map(codeOf)
        expect(outcomes.filter((outcome) => outcome === 'answered')).toHaveLength(5)
        expect(outcomes.filter((outcome) => outcome === 'not_sent tool.unavailable')).toHaveLength(2)
      },
    ))
})

describe('credentials', () => {
  const oauth = ({ port }: HttpProcess, client_secret = 's3cret-of-the-client') => ({
    oauth: { token_url: `http://127.0.0.1:${port}/token`, client_id: 'client', client_secret, scope: 'tools read' },
  })
  const asked = async ({ text }: Rig) => JSON.parse(await text('s', 'asked')) as string[]

  test('a token is fetched once for all, and again when the server no longer accepts it', () =>
    withOne('guarded-http.ts', { more: oauth }, async (rig) => {
      expect(await Promise.all([1, 2, 3].map((n) => rig.text('s', 'echo', { n })))).toEqual([
        '{"n":1}',
        '{"n":2}',
        '{"n":3}',
      ])
      expect(await asked(rig)).toEqual(['grant_type=client_credentials&scope=tools+read'])
      await rig.text('s', 'revoke')
      expect(await Promise.all([4, 5].map((n) => rig.text('s', 'echo', { n })))).toEqual(['{"n":4}', '{"n":5}'])
      expect(await asked(rig)).toHaveLength(2)
    }))

  test('a token that is about to expire is replaced before it is rejected', () =>
    withOne('guarded-http.ts', { more: oauth, env: { EXPIRES_IN: '0' } }, async (rig) => {
      expect(await rig.text('s', 'echo')).toBe('{}')
      expect((await asked(rig)).length).toBeGreaterThan(2)
    }))

  test('without a token nothing is sent, and the secret is in no message', () =>
    withOne('guarded-http.ts', { more: (server) => oauth(server, 'not-the-secret') }, async (rig) => {
      const answer = await rig.call('s', 'echo')
      expect(codeOf(answer)).toBe('not_sent tool.unavailable')
      const said = JSON.stringify([answer, rig.logged, rig.servers.status()])
      expect(said).toContain('invalid_client')
      expect(said).not.toContain('not-the-secret')
    }))

  test('a server that accepts no token at all is asked twice, not endlessly', () =>
    withOne('guarded-http.ts', { more: oauth, env: { CLOSED: '1' } }, async (rig) => {
      expect(codeOf(await rig.call('s', 'echo'))).toBe('not_sent tool.unavailable')
      expect(JSON.stringify([rig.logged, rig.servers.status()])).not.toMatch(/token-|s3cret/)
    }))
})

describe('the older HTTP with events', () => {
  const OLD = { path: '/sse' }

  test('is used if streamable HTTP is not supported', () =>
    withOne('old-sse.ts', OLD, async ({ text, servers }) => {
      expect(await Promise.all([1, 2].map((n) => text('s', 'echo', { n })))).toEqual(['{"n":1}', '{"n":2}'])
      expect(servers.status()[0]).toMatchObject({ protocol: '2024-11-05', state: 'ready', tools: 15 })
    }))

  test('only the misbehaving call is affected', () =>
    withOne('old-sse.ts', OLD, async ({ call, text, servers }) => {
      for (const [tool, outcome] of [
        ['garbage', 'lost tool.garbled'],
        ['huge', 'lost tool.too_large'],
      ] as const) {
        const [before, fault, after] = await Promise.all([
          text('s', 'slow', { ms: 50 }),
          call('s', tool),
          text('s', 'echo'),
        ])
        expect([before, codeOf(fault), after]).toEqual(['slow but sure', outcome, '{}'])
      }
      expect(await text('s', 'twice')).toBe('first')
      expect(await text('s', 'echo')).toBe('{}')
      expect(servers.status()[0]).toMatchObject({ late_answers: 1 })
    }))

  test('a call times out and is cancelled, and a late answer is dropped', () =>
    withOne('old-sse.ts', { ...OLD, more: () => ({ timeout_ms: 700 }) }, async ({ call, text, servers }) => {
      await servers.ready('s')
      expect(codeOf(await call('s', 'late'))).toBe('lost tool.timeout')
      await expect.poll(() => servers.status()[0]?.late_answers).toBe(1)
      await expect.poll(() => text('s', 'heard')).toContain('\\"reason\\":\\"timeout\\"')
    }))

  test('when the stream breaks its calls are lost, and it is opened again', () =>
    withOne('old-sse.ts', OLD, async ({ call, text, servers }) => {
      await servers.ready('s')
      const [hanging, breaking] = await Promise.all([call('s', 'hangs'), call('s', 'hangs_up')])
      expect([codeOf(hanging), codeOf(breaking)]).toEqual(['lost tool.broke_off', 'lost tool.broke_off'])
      expect(await text('s', 'echo')).toBe('{}')
      expect(codeOf(await call('s', 'dies'))).toBe('lost tool.broke_off')
      await expect.poll(async () => codeOf(await call('s', 'echo'))).toBe('not_sent tool.unavailable')
    }))

  test('a URL of another origin is not posted to', () =>
    withHttp([startHttp('misbehaving-http.ts')], async (other) => {
      if (other === undefined) throw new Error('no server')
      await withOne('old-sse.ts', { ...OLD, env: { ENDPOINT: other.url } }, async ({ call, servers }) => {
        expect(await servers.ready('s')).toMatchObject({ ok: false })
        expect(codeOf(await call('s', 'echo'))).toBe('not_sent tool.unavailable')
      })
      await withToolServers([other.as('other')], {}, async ({ text }) => {
        const received = JSON.parse(await text('other', 'heard')) as { body: string }[]
        expect(received.filter(({ body }) => body.includes('initialize'))).toHaveLength(2)
      })
    }))
})
