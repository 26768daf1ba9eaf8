import { describe, expect, test } from 'vitest'
import { startHttp, withHttp } from '../../../test/tool-servers/with-http-servers.ts'
import { scriptServer, withToolServers, type Rig } from '../../../test/tool-servers/with-tool-servers.ts'
import type { Progress } from '../../kernel/ports/upstream.ts'
import { rateLimited } from './pending-calls.ts'

async function reported({ servers }: Rig, server: string, n: number, wants = true) {
  const received: Progress[] = []
  const answer = await servers.call({
    server,
    tool: 'progresses',
    canonical_args: JSON.stringify({ n }),
    idempotency_key: 'k',
    trace: 't',
    ...(wants ? { onProgress: (progress: Progress) => void received.push(progress) } : {}),
  })
  const text = answer.is === 'answered' ? answer.result.content[0]?.['text'] : JSON.stringify(answer)
  return { received, text }
}

const STEPS = [1, 2, 3].map((n) => ({ progress: n, total: 3, message: `step ${n}` }))

describe('the progress of a tool', () => {
  test('is passed on unchanged, for its own call and not after its end, on every transport and in both eras', () =>
    withHttp(
      [
        startHttp('misbehaving-http.ts'),
        startHttp('sdk-http.ts', { args: ['modern', 'sse'] }),
        startHttp('sdk-http.ts', { args: ['sessions', 'sse'] }),
        startHttp('old-sse.ts', { path: '/sse' }),
      ],
      async (raw, modern, sessions, old) => {
        const reached = Object.entries({ raw, modern, sessions, old }).map(([name, server]) => {
          if (server === undefined) throw new Error('no server')
          return server.as(name)
        })
        const started = [scriptServer('child', 'misbehaving.ts'), scriptServer('newer', 'two-eras.ts')]
        const configs = [...reached, ...started]
        await withToolServers(configs, {}, async (rig) => {
          const all = await Promise.all(configs.map(({ name }) => reported(rig, name, 3)))
          expect(all).toEqual(configs.map(() => ({ received: STEPS, text: 'string' })))
          // Without a listener nothing is requested.
          const unasked = await Promise.all(configs.map(({ name }) => reported(rig, name, 3, false)))
          expect(unasked.map(({ text }) => text)).toEqual(configs.map(() => 'undefined'))
        })
      },
    ))

  test('is passed on in part if it is a flood, and the answer is not affected', () =>
    withToolServers([scriptServer('child', 'misbehaving.ts')], {}, async (rig) => {
      const { received, text } = await reported(rig, 'child', 50_000)
      expect(text).toBe('string')
      expect(received.slice(0, 3).map(({ progress }) => progress)).toEqual([1, 2, 3])
      expect(received.length).toBeLessThan(5_000)
    }))

  test('is rate-limited: a burst, then a fixed number per second', () => {
    let now = 0
    const received: number[] = []
    const listen = rateLimited(
      (n: number) => void received.push(n),
      () => now,
    )
    for (let n = 0; n < 1_000; n += 1) listen(n)
    expect(received).toHaveLength(100)
    now += 1_000
    for (let n = 0; n < 1_000; n += 1) listen(n)
    expect(received).toHaveLength(120)
  })
})
