import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { listenTo, type Listener } from './listen-to.ts'

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let approver = ''
const listeners: Listener[] = []
beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(async () => {
  for (const listener of listeners) listener.close()
  await gate.stop()
})

async function listen(key: string, query = '', from?: string): Promise<Listener> {
  const listener = await listenTo(`${gate.url}/v1/stream${query}`, key, from)
  listeners.push(listener)
  return listener
}
const call = (tool: string) => gate.http('POST', '/v1/calls', agent, { tool, args: { text: 'hush' } })

test('an approver is notified of a held call at once, without its arguments, and the agent is notified when it has run', async () => {
  const [inbox, own] = [await listen(approver, '?kinds=approval'), await listen(agent)]
  const { body } = await call('book__note')
  const asked = await inbox.next('approval')
  expect(asked.data).toMatchObject({ approval_id: body['approval_id'], state: 'pending', strength: 'simple' })
  expect(asked.data).not.toHaveProperty('canonical_args')
  await gate.approve(body['approval_id'], approver)
  let seen = await own.next('call')
  while (seen.data['state'] !== 'executed') seen = await own.next('call')
  expect(seen.data['call_id']).toBe(body['call_id'])
  expect(own.events.map(({ event }) => event)).not.toContain('approval')
  expect(inbox.events.map(({ event }) => event)).not.toContain('call')
})

test('a stream continues where it stopped, and says so if it cannot', async () => {
  const first = await listen(agent)
  const { id } = await first.next('hello')
  await call('book__look')
  const run = await first.next('call')
  first.close()
  await call('book__look')
  const second = await listen(agent, '', id)
  expect((await second.next('call')).id).toBe(run.id)
  const ids = [
    run.id,
    ...[await second.next('call'), await second.next('call'), await second.next('call')].map((event) => event.id),
  ]
  expect(new Set(ids).size).toBe(4)
  const third = await listen(agent, '', 'another-1')
  // The same position in the stream; only the time in the id differs.
  expect((await third.next('reset')).id?.split('~')[0]).toBe(ids.at(-1)?.split('~')[0])
})

test('a caller has a limited number of streams, and closing one frees a slot', async () => {
  const key = await gate.key('user', 'many')
  const open = await Promise.all(Array.from({ length: 8 }, () => listen(key)))
  const refused = await gate.http('GET', '/v1/stream', key)
  expect(refused).toMatchObject({ status: 429, body: { code: 'stream.too_many', about: { limit: '8' } } })
  open[0]?.close()
  let again = await fetch(`${gate.url}/v1/stream`, { headers: { authorization: `Bearer ${key}` } })
  while (again.status === 429)
    again = await fetch(`${gate.url}/v1/stream`, { headers: { authorization: `Bearer ${key}` } })
  expect(again.headers.get('content-type')).toBe('text/event-stream')
  await again.body?.cancel()
})

test('a HEAD request opens no stream', async () => {
  const key = await gate.key('user', 'looks')
  const look = () => fetch(`${gate.url}/v1/stream`, { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
  for (let looks = 0; looks < 12; looks += 1) expect((await look()).status).toBe(200)
})

test('a kind that does not exist, and a caller without a key, are refused', async () => {
  expect(await gate.http('GET', '/v1/stream?kinds=call,weather', agent)).toMatchObject({
    status: 400,
    body: { code: 'request.invalid' },
  })
  expect(await gate.http('GET', '/v1/stream', undefined)).toMatchObject({ status: 401, body: { code: 'auth.missing' } })
})
