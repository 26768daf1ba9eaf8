import { setImmediate } from 'node:timers/promises'
import { OpenAPIHono } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { ADMIN, AGENT, withGate } from '../../../../test/helpers/with-gate.ts'
import { ok } from '../../../kernel/contract/problems.ts'
import { createRunOutput } from '../../../kernel/runs/run-output.ts'
import { callerIdentity } from '../../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { Door, RouterEnv } from '../door.ts'
import { mount } from '../mount.ts'
import { streamEndpoints, type StreamPorts } from './stream.ts'

const idsIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '')

/** The stream behind a door through which only this caller comes. */
function appFor(caller: Caller, ports: StreamPorts, streams: Door['streams']) {
  const app = new OpenAPIHono<RouterEnv>()
  const door = { authenticate: async () => ok(caller), enter: async () => ok(undefined), login: {}, streams }
  app.use((c, next) => {
    c.set('door', door as unknown as Door)
    return next()
  })
  mount(app, streamEndpoints(ports))
  return app
}

test('the stream of a reader that is too slow ends with `too_slow`, and no event is missing when it resumes', () =>
  withGate(async ({ gate, ports }) => {
    const app = appFor(ADMIN, ports, { stopping: new AbortController().signal, waiting_bytes: 1_500 })
    const env = { local: true, remote: '' }
    const slow = await app.request('/v1/stream?kinds=call', {}, env)
    const look = () =>
      gate.calls.dispatch({ caller: AGENT, tool: 'book__look', args: {}, trace: 'ab'.repeat(16), claimed: {} })
    for (let calls = 0; calls < 12; calls += 1) await look()
    const text = await slow.text()
    expect(text).toMatch(/event: goodbye\ndata: \{"reason":"too_slow"\}\n\n$/)
    const first = idsIn(text)
    expect(first.length).toBeLessThan(20)

    const again = await app.request('/v1/stream?kinds=call', { headers: { 'last-event-id': first.at(-1) ?? '' } }, env)
    const begun = await readSome(again)
    const numberOf = (id: string | undefined) => Number(id?.split('~')[0]?.split('-')[1])
    expect(begun).not.toContain('event: reset')
    expect(numberOf(idsIn(begun)[0])).toBe(numberOf(first.at(-1)) + 1)
  }))

test('intermediate output of runs is sent only to their owner, and only on request', async () => {
  const shown = createRunOutput()
  const changes = { changesAfter: () => [], onChange: () => () => {}, newest: () => 'b-1' }
  const ports = { changes, shown } as unknown as StreamPorts
  const person: Caller = { kind: 'approver', id: 'approver:ana', user: 'ana' }
  const receivedBy = async (caller: Caller, kinds: string) => {
    const stopping = new AbortController()
    const app = appFor(caller, ports, { stopping: stopping.signal })
    const answer = await app.request(`/v1/stream${kinds}`, {}, { local: true, remote: '' })
    shown.show({ run_id: 'run_1', owner: callerIdentity(AGENT), caller: AGENT }, 'e1', { text: 'half an answer.' })
    await setImmediate()
    stopping.abort()
    return /event: shown\ndata: (.*)/.exec(await answer.text())?.[1]
  }
  expect(await receivedBy(AGENT, '?kinds=run,shown')).toBe(
    '{"run_id":"run_1","key":"e1","news":{"text":"half an answer."}}',
  )
  expect(await receivedBy(person, '?kinds=shown')).toContain('half an answer')
  expect(await receivedBy(AGENT, '')).toBeUndefined()
  for (const stranger of [ADMIN, { ...AGENT, user: 'zoe' }, { ...AGENT, id: 'agent:other' }])
    expect(await receivedBy(stranger, '?kinds=shown')).toBeUndefined()
  const key = 'key_limited' as const
  for (const grant of [
    { key, tools: ['book__look'] },
    { key, calls: 9 },
  ])
    expect(await receivedBy({ ...AGENT, grant }, '?kinds=shown')).toBeUndefined()
})

test('a listener that throws does not affect the run', () => {
  const shown = createRunOutput()
  const received: string[] = []
  shown.onAny(() => {
    throw new Error('deaf')
  })
  shown.onAny((_, key) => void received.push(key))
  shown.show({ run_id: 'run_1', owner: undefined }, 'e1', 1)
  expect(received).toEqual(['e1'])
})

/** What has already arrived. */
async function readSome(answer: Response): Promise<string> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('event: ')) text += (await reader?.read())?.value ?? 'event: '
  await reader?.cancel()
  return text
}
