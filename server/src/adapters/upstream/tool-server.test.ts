import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scriptServer, withToolServers } from '../../../test/tool-servers/with-tool-servers.ts'
import type { ToolReply } from '../../kernel/ports/upstream.ts'

const QUICK = { restart: { base_ms: 20, cap_ms: 40 }, breaker: { threshold: 3, base_ms: 60_000, cap_ms: 60_000 } }
const codeOf = (answer: ToolReply) => ('problem' in answer ? `${answer.is} ${answer.problem.code}` : answer.is)
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the start of a tool server', () => {
  test('every page of tools is read verbatim, without malformed tools', () =>
    withToolServers([scriptServer('paged', 'paged.ts')], {}, async ({ servers, listings }) => {
      expect(await servers.ready('paged')).toMatchObject({ ok: true, value: { tools: 3, protocol: '2025-11-25' } })
      expect(listings.map(({ definitions }) => definitions.map(({ name }) => name))).toEqual([['one', 'two', 'three']])
      expect(listings[0]?.definitions[0]).toEqual({
        name: 'one',
        inputSchema: { type: 'object' },
        annotations: { 'x-own': true },
      })
      expect(listings[0]?.findings).toEqual([{ rule: 'not_a_tool', tools: 3, example: 'no schema' }])
    }))

  test('the log says how many tools it has', async () => {
    const configured = [scriptServer('paged', 'paged.ts'), scriptServer('last', 'paged.ts', { args: ['last'] })]
    await withToolServers(configured, {}, async ({ servers, logged }) => {
      await Promise.all([servers.ready('paged'), servers.ready('last')])
      expect(logged.join('\n')).toContain('is ready with 3 tools, MCP')
      expect(logged.join('\n')).toContain('is ready with 1 tool, MCP')
    })
  })

  test('an extremely nested schema does not affect the other tools', () =>
    withToolServers([scriptServer('paged', 'paged.ts', { args: ['deep'] })], {}, async ({ servers, listings }) => {
      expect(await servers.ready('paged')).toMatchObject({ ok: true })
      expect(listings[0]?.definitions.map(({ name }) => name)).toContain('flat')
    }))

  test('if there are endless pages, what was read is offered', () =>
    withToolServers([scriptServer('paged', 'paged.ts', { args: ['endless'] })], {}, async ({ servers, listings }) => {
      expect(await servers.ready('paged')).toMatchObject({ ok: true, value: { tools: 0 } })
      expect(listings[0]?.findings).toEqual([{ rule: 'pages_without_end', tools: 1, example: '' }])
    }))

  test('a call waits for a slow start', () =>
    withToolServers([scriptServer('slow', 'starting.ts', { args: ['slow'] })], {}, async ({ text }) =>
      expect(await text('slow', 'echo', { n: 1 })).toBe('{"n":1}'),
    ))

  test('a call that cannot wait that long is not sent', () =>
    withToolServers(
      [scriptServer('slow', 'starting.ts', { args: ['slow'], timeout_ms: 500 })],
      {},
      async ({ call, servers, text }) => {
        expect(codeOf(await call('slow', 'echo'))).toBe('not_sent tool.unavailable')
        await servers.ready('slow')
        const heard = () => text('slow', 'heard')
        await expect.poll(heard).toContain('initialize')
        expect(await heard()).not.toContain('echo')
      },
    ))

  test('one that fails again and again is logged once, and shows harmlessly what its last run wrote', () =>
    withToolServers(
      [scriptServer('mail', 'starting.ts', { args: ['complains', '/nowhere'] })],
      QUICK,
      async ({ servers, logged }) => {
        const state = () => servers.status()[0]
        await expect.poll(() => state()?.failures, { timeout: 60_000 }).toBeGreaterThan(3)
        expect(state()).toMatchObject({ last_failure: 'it did not answer (exit code 1)' })
        await expect
          .poll(() => state()?.stderr)
          .toEqual([expect.stringMatching(/^run \d+$/), 'Error: TOKEN⟨U+202E⟩ is not set'])
        expect(logged.filter((line) => line.includes('did not start'))).toHaveLength(1)
        expect(logged.filter((line) => line.includes('TOKEN'))).toHaveLength(1)
        await servers.retry('mail')
        expect(logged.filter((line) => line.includes('did not start'))).toHaveLength(2)
      },
    ))

  test('a program that does not exist, or dies, rejects its calls and blocks no others', () =>
    withToolServers(
      [
        scriptServer('absent', 'starting.ts', { command: '/no/such/program' }),
        scriptServer('dying', 'starting.ts', { args: ['dies'] }),
        scriptServer('good', 'misbehaving.ts'),
      ],
      QUICK,
      async ({ call, text, servers }) => {
        expect(await text('good', 'echo')).toBe('{}')
        expect(codeOf(await call('absent', 'echo'))).toBe('not_sent tool.unavailable')
        expect(codeOf(await call('dying', 'echo'))).toBe('not_sent tool.unavailable')
        expect(await servers.ready('absent')).toMatchObject({ ok: false })
        expect(servers.status().map(({ state }) => state)).toEqual(['waiting', expect.any(String), 'ready'])
      },
    ))

  test('a server that fails once is restarted automatically', () => {
    const mark = join(mkdtempSync(join(tmpdir(), 'sluice-')), 'mark')
    const once = scriptServer('once', 'starting.ts', { args: ['dies_once', mark] })
    return withToolServers([once], QUICK, async ({ servers, text }) => {
      await expect.poll(() => servers.status()[0]?.state).toBe('ready')
      expect(await text('once', 'echo')).toBe('{}')
    })
  })

  test('a server that sends nothing at all is given up', () =>
    withToolServers(
      [scriptServer('silent', 'starting.ts', { args: ['silent'] })],
      { start_timeout_ms: 200, probe_timeout_ms: 100 },
      async ({ servers }) => expect(await servers.ready('silent')).toMatchObject({ ok: false }),
    ))
})

describe('a replaced tool server', () => {
  const one = scriptServer('one', 'misbehaving.ts')
  const request = { server: 'one', tool: 'echo', canonical_args: '{}', idempotency_key: 'key-1', trace: 'trace-1' }

  test('gets no call that was judged for the previous server', () =>
    withToolServers([one], {}, async ({ servers }) => {
      const generation = servers.generation('one')
      expect(codeOf(await servers.call({ ...request, generation }))).toBe('answered')
      servers.change([{ ...one, env: { OTHER: '1' } }])
      expect(await servers.call({ ...request, generation })).toMatchObject({
        is: 'not_sent',
        problem: { about: { why: 'the server was replaced after the call was judged' } },
      })
      expect(codeOf(await servers.call({ ...request, generation: servers.generation('one') }))).toBe('answered')
    }))

  test('gets no call whose tool changed while the call waited for it', () =>
    withToolServers([one], {}, async ({ servers }) => {
      expect(codeOf(await servers.call({ ...request, isCurrent: () => true }))).toBe('answered')
      expect(codeOf(await servers.call({ ...request, isCurrent: () => false }))).toBe('not_sent tool.unavailable')
    }))
})

describe('a node whose lease has expired', () => {
  test('sends no call, and says so', () => {
    let isLeased = true
    const one = { ...scriptServer('one', 'misbehaving.ts'), mayAct: () => isLeased }
    return withToolServers([one], {}, async ({ servers }) => {
      const request = { server: 'one', tool: 'echo', canonical_args: '{}', idempotency_key: 'key-1', trace: 'trace-1' }
      expect(codeOf(await servers.call(request))).toBe('answered')
      isLeased = false
      expect(codeOf(await servers.call(request))).toBe('not_sent tool.unavailable')
      isLeased = true
      expect(codeOf(await servers.call(request))).toBe('answered')
    })
  })
})

describe('both eras of the protocol', () => {
  test('a server that crashes on the probe for the newer era is restarted without it', () =>
    withToolServers(
      [scriptServer('old', 'starting.ts', { args: ['dies_of_probe'] })],
      {},
      async ({ text, servers }) => {
        expect(await text('old', 'echo')).toBe('{}')
        expect(servers.status()[0]).toMatchObject({ protocol: '2025-11-25', starts: 2 })
      },
    ))

  test('a server that ignores the probe is treated as an older one', () =>
    withToolServers(
      [scriptServer('old', 'starting.ts', { args: ['ignores_probe'] })],
      { probe_timeout_ms: 100 },
      async ({ text, servers }) => {
        expect(await text('old', 'echo')).toBe('{}')
        expect(servers.status()[0]).toMatchObject({ protocol: '2025-11-25', starts: 1 })
      },
    ))

  test('with a server of 2026-07-28 each call has what that revision requires', () =>
    withToolServers(
      [scriptServer('new', 'two-eras.ts', { args: ['--modern-only'] })],
      {},
      async ({ text, servers }) => {
        expect(JSON.parse(await text('new', 'meta', { text: 'hello' }))).toEqual({
          text: 'hello',
          meta: { 'sluice/idempotency-key': 'key-1', 'sluice/trace-id': 'trace-1' },
        })
        expect(servers.status()[0]).toMatchObject({ protocol: '2026-07-28' })
      },
    ))

  test('with a server of 2026-07-28 changes of the tools are received through a subscription', () =>
    withToolServers([scriptServer('new', 'two-eras.ts')], {}, async ({ text, listings }) => {
      expect(await text('new', 'grow')).toBe('grown')
      await expect.poll(() => listings.at(-1)?.definitions.map(({ name }) => name)).toContain('grown')
    }))
})

describe('a running tool server', () => {
  test('that changes its tools is listed again, and no other server is', () =>
    withToolServers(
      [scriptServer('changing', 'changing.ts'), scriptServer('good', 'misbehaving.ts')],
      {},
      async ({ text, listings, servers }) => {
        await servers.ready('good')
        await text('changing', 'become', {
          tools: [{ name: 'become', description: 'now sends money' }, { name: 'new' }],
        })
        const changed = () => listings.filter(({ server }) => server === 'changing')
        await expect.poll(() => changed().length).toBe(2)
        expect(changed()[1]?.definitions.map(({ name }) => name)).toEqual(['become', 'new', 'heard'])
        expect(changed()[1]?.definitions[0]?.description).toBe('now sends money')
        expect(listings.filter(({ server }) => server === 'good')).toHaveLength(1)
      },
    ))

  test('gets no more concurrent calls than its limit; the rest wait, and what exceeds the queue is not sent', () =>
    withToolServers(
      [scriptServer('narrow', 'misbehaving.ts', { concurrency: 2 })],
      { queue: 3 },
      async ({ call, servers }) => {
        await servers.ready('narrow')
        const calls = Array.from({ length: 7 }, () => call('narrow', 'slow', { ms: 100 }))
        expect(servers.status()[0]).toMatchObject({ active: 2, queued: 3 })
        const outcomes = (await Promise.all(calls)).map(codeOf)
        expect(outcomes.filter((outcome) => outcome === 'answered')).toHaveLength(5)
        expect(outcomes.filter((outcome) => outcome === 'not_sent tool.unavailable')).toHaveLength(2)
      },
    ))

  test('that fails repeatedly is not tried for a while, and other servers are not affected', () =>
    withToolServers(
      [scriptServer('bad', 'misbehaving.ts'), scriptServer('good', 'misbehaving.ts')],
      QUICK,
      async ({ call, text, servers }) => {
        for (let n = 0; n < 3; n += 1) {
          await servers.ready('bad')
          expect(codeOf(await call('bad', 'dies'))).toBe('lost tool.broke_off')
        }
        expect(codeOf(await call('bad', 'echo'))).toBe('not_sent tool.unavailable')
        expect(servers.status()[0]).toMatchObject({ breaker: 'open' })
        expect(await text('good', 'echo')).toBe('{}')
      },
    ))

  test('that froze is replaced, and a trial call closes the breaker again', () =>
    withToolServers(
      [scriptServer('bad', 'misbehaving.ts', { timeout_ms: 1_500 })],
      { breaker: { threshold: 1, base_ms: 1, cap_ms: 1 } },
      async ({ call, text, servers }) => {
        await servers.ready('bad')
        expect(codeOf(await call('bad', 'freezes'))).toBe('lost tool.timeout')
        await expect.poll(() => text('bad', 'echo')).toBe('{}')
        expect(servers.status()[0]?.breaker).toBe('closed')
        expect(servers.status()[0]?.starts).toBeGreaterThan(1)
      },
    ))

  test('a tool`s own errors never open the breaker', () =>
    withToolServers([scriptServer('bad', 'misbehaving.ts')], QUICK, async ({ call, servers }) => {
      for (const tool of ['rejects', 'reports_error', 'huge']) for (let n = 0; n < 4; n += 1) await call('bad', tool)
      expect(servers.status()[0]).toMatchObject({ breaker: 'closed' })
    }))
})

describe('the end', () => {
  test('a child that does not end when asked is forced to', () =>
    withToolServers([scriptServer('stubborn', 'stubborn.ts')], {}, async ({ text, servers }) => {
      const pid = Number(await text('stubborn', 'pid'))
      expect(isRunning(pid)).toBe(true)
      await servers.close()
      expect(isRunning(pid)).toBe(false)
    }))

  test('calls in progress are lost, later ones are not sent, and nothing is restarted', () =>
    withToolServers([scriptServer('bad', 'misbehaving.ts')], {}, async ({ call, text, servers }) => {
      const in_progress = call('bad', 'hangs')
      await text('bad', 'echo')
      await servers.close()
      expect(codeOf(await in_progress)).toBe('lost tool.broke_off')
      expect(codeOf(await call('bad', 'echo'))).toBe('not_sent tool.unavailable')
      expect(await servers.ready('bad')).toMatchObject({ ok: false })
      expect(servers.status()[0]).toMatchObject({ state: 'closed', starts: 1 })
    }))

  test('a server that is still starting is closed too', () =>
    withToolServers([scriptServer('silent', 'starting.ts', { args: ['silent'] })], {}, async ({ servers }) => {
      await servers.close()
      expect(servers.status()[0]).toMatchObject({ state: 'closed' })
    }))
})
