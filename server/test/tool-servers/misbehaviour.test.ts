import { describe, expect, test } from 'vitest'
import type { ToolReply } from '../../src/kernel/ports/upstream.ts'
import { startHttp, withHttp } from './with-http-servers.ts'
import { scriptServer, withToolServers, type Rig } from './with-tool-servers.ts'

const TRANSPORTS = ['stdio', 'streamable', 'sse'] as const
const MB = 1_048_576

/** The same misbehaviour on every transport at once, beside a server that behaves. */
function onEvery(use: (rig: Rig) => Promise<void>, timeout_ms = 10_000): Promise<void> {
  const starting = [startHttp('misbehaving-http.ts'), startHttp('old-sse.ts', { path: '/sse' })]
  return withHttp(starting, async (streamable, sse) => {
    if (streamable === undefined || sse === undefined) throw new Error('no servers')
    const bad = [
      scriptServer('stdio', 'misbehaving.ts', { timeout_ms }),
      streamable.as('streamable', { timeout_ms }),
      sse.as('sse', { timeout_ms }),
    ]
    await withToolServers([...bad, scriptServer('good', 'misbehaving.ts')], {}, async (rig) => {
      await Promise.all([...TRANSPORTS, 'good'].map((server) => rig.servers.ready(server)))
      await use(rig)
    })
  })
}

const codeOf = (answer: ToolReply) => ('problem' in answer ? `${answer.is} ${answer.problem.code}` : answer.is)
const onAll = (rig: Rig, tool: string, args?: object) =>
  Promise.all(TRANSPORTS.map(async (server) => codeOf(await rig.call(server, tool, args))))
const thrice = (what: string) => TRANSPORTS.map(() => what)

describe('on stdio, streamable HTTP and the older events alike', () => {
  test('misbehaviour affects only its own call, and other calls are answered meanwhile', () =>
    onEvery(async (rig) => {
      for (const [tool, outcome] of [
        ['garbage', 'lost tool.garbled'],
        ['huge', 'lost tool.too_large'],
        ['twice', 'answered'],
        ['dies_mid_answer', 'lost tool.broke_off'],
        ['endless', 'lost tool.too_large'],
      ] as const) {
        const [met, beside] = await Promise.all([onAll(rig, tool), rig.text('good', 'echo', { tool })])
        expect([tool, met]).toEqual([tool, thrice(outcome)])
        expect(beside).toBe(`{"tool":"${tool}"}`)
        // Its own later calls are answered too, on a new connection where the old one is gone.
        for (const server of TRANSPORTS)
          await expect.poll(() => rig.text(server, 'echo', { tool })).toBe(`{"tool":"${tool}"}`)
      }
      expect(rig.servers.status().at(-1)).toMatchObject({ server: 'good', starts: 1, breaker: 'closed' })
    }))

  test('a hanging call ends at its timeout, and is cancelled in the server', () =>
    onEvery(async (rig) => {
      const [met, beside] = await Promise.all([onAll(rig, 'hangs'), rig.text('good', 'echo', { n: 1 })])
      expect([met, beside]).toEqual([thrice('lost tool.timeout'), '{"n":1}'])
      // Over HTTP the cancellation is a request of its own, which may arrive after the question.
      for (const server of TRANSPORTS)
        await expect.poll(() => rig.text(server, 'heard')).toContain('notifications/cancelled')
    }, 1_000))

  test('a server that changes its tools is listed again, and nobody else is', () =>
    onEvery(async (rig) => {
      const before = rig.listings.length
      for (const server of ['streamable', 'sse']) await rig.call(server, 'becomes', { tools: [{ name: 'new' }] })
      await expect.poll(() => rig.listings.length).toBe(before + 2)
      const fresh = rig.listings.slice(before)
      expect(fresh.map(({ server }) => server).sort()).toEqual(['sse', 'streamable'])
      for (const { definitions } of fresh) expect(definitions.map(({ name }) => name)).toContain('new')
    }))

  test('a gigabyte of unrequested data is read and dropped', () =>
    onEvery(async (rig) => {
      let beside = 0
      const watch = setInterval(() => {
        void rig.text('good', 'echo').then((text) => (beside += text === '{}' ? 1 : 0))
      }, 50)
      const met = await Promise.all(TRANSPORTS.map((server) => rig.text(server, 'floods_bytes', { bytes: 342 * MB })))
      clearInterval(watch)
      expect(met).toEqual(thrice('dry again'))
      expect(beside).toBeGreaterThan(0)
    }, 110_000))
})
