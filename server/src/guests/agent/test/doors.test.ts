import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configure, startGate } from '../../../../test/helpers/with-running-gate.ts'
import { following, startModelServer, type ModelServer } from './model-server.suite.ts'

let model: ModelServer
let gate: Awaited<ReturnType<typeof startGate>>
let user: string
let approver: string

beforeAll(async () => {
  model = await startModelServer()
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    const agent = { provider: 'anthropic', url: `${model.url}/anthropic`, model: 'test', key: 'file:model.key' }
    writeFileSync(file, JSON.stringify({ ...config, models: { agent } }))
    writeFileSync(join(folder, 'model.key'), 'sk-ant-test-key\n')
  })
  user = await gate.key('user', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(async () => {
  await gate.stop()
  await model.close()
})

/** The events of a stream, until it ends or has this many final events. */
async function eventsOf(
  response: Response,
  finals = 1,
): Promise<{ id?: string; event: string; data: Record<string, unknown> }[]> {
  const received: { id?: string; event: string; data: Record<string, unknown> }[] = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const part = text.slice(0, end)
      text = text.slice(end + 2)
      const field = (name: string) =>
        part
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const [id, event, data] = [field('id'), field('event'), field('data')]
      if (event !== undefined && data !== undefined)
        received.push({ ...(id === undefined ? {} : { id }), event, data: JSON.parse(data) as Record<string, unknown> })
      if (received.filter((one) => one.event === 'final').length >= finals) return received
    }
  }
  return received
}

const ask = (path: string, key: string, body: object, more: Record<string, string> = {}) =>
  fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })

test('a message is answered over HTTP by a model of another provider, with its key', async () => {
  model.say = following(['look at the book'], [{ tool: 'book__look', args: {} }], 'The book is empty.')
  for (const path of ['/agent/run', '/chat']) {
    model.say = following(['look at the book'], [{ tool: 'book__look', args: {} }], 'The book is empty.')
    const { status, body } = await gate.http('POST', path, user, { message: 'look at the book' })
    expect([status, body['status'], body['response']]).toEqual([200, 'completed', 'The book is empty.'])
  }
  expect(model.asked[0]?.key).toBe('sk-ant-test-key')
})

test('a streamed message reports its own turn; a reader that reconnects gets the rest once', async () => {
  model.say = following(['write a note'], [{ tool: 'book__note', args: { text: 'streamed' } }], 'It is written down.')
  const response = await ask('/agent/run', user, { message: 'write a note' }, { accept: 'text/event-stream' })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const first = await eventsOf(response)
  expect(first.map(({ event }) => event)).toContain('approval_required')
  expect(first.at(-1)).toMatchObject({ event: 'final', data: { status: 'awaiting_approval' } })

  const required = first.find(({ event }) => event === 'approval_required')?.data ?? {}
  const threads = await gate.http('GET', '/agent/threads', user)
  const [thread] = threads.body['items'] as { run_id: string; thread_id: string }[]
  const path = `${gate.url}/agent/runs/${thread?.run_id ?? ''}/events`
  const last = first.findLast(({ id }) => id !== undefined)?.id ?? ''
  const resumed = fetch(path, { headers: { authorization: `Bearer ${user}`, 'last-event-id': last } })
  await gate.approve(required['approval_id'], approver)
  const rest = await eventsOf(await resumed)
  expect(rest.at(-1)).toMatchObject({ event: 'final', data: { status: 'completed', response: 'It is written down.' } })
  const ids = [...first, ...rest].flatMap(({ id }) => id ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  const texts = rest.filter(({ event }) => event === 'message_delta').map(({ data }) => data['text'])
  expect(texts.join('')).toBe('It is written down.')

  const foreign = await gate.key('user', 'eve')
  expect((await fetch(path, { headers: { authorization: `Bearer ${foreign}` } })).status).toBe(404)
  expect((await gate.http('GET', `/agent/threads/${thread?.thread_id ?? ''}`, foreign)).status).toBe(404)
  expect((await gate.http('POST', `/agent/threads/${thread?.thread_id ?? ''}/cancel`, foreign)).status).toBe(404)
})

test('bad requests are refused with a code', async () => {
  const refused = async (body: object) => (await gate.http('POST', '/agent/run', user, body)).body['code']
  expect(await refused({})).toBe('request.invalid')
  expect(await refused({ message: '' })).toBe('request.invalid')
  expect(await refused({ message: 'x', user_id: 'root' })).toBe('request.invalid')
  expect(await refused({ message: 'x', thread_id: '../../etc' })).toBe('request.invalid')
  expect(await refused({ message: 'x'.repeat(10_001) })).toBe('agent.message_too_long')
  expect(await refused({ message: 'x', thread_id: 'thread_00000000-0000-4000-8000-000000000000' })).toBe(
    'agent.thread_unknown',
  )
  expect((await gate.http('POST', '/agent/run', undefined, { message: 'x' })).status).toBe(401)
})

test('the command line sends, lists, exports, cancels and draws', async () => {
  model.say = () => ({ text: 'Hello.' })
  const sent = await gate.cli('agent', 'send', 'hello')
  expect(sent).toMatchObject({ code: 0 })
  expect(sent.out).toContain('Hello.')
  const [thread_id = ''] = /thread_[0-9a-f-]{36}/.exec(sent.out) ?? []
  expect((await gate.cli('agent', 'threads')).out).toContain(thread_id)
  expect(JSON.parse((await gate.cli('agent', 'export', thread_id)).out)).toMatchObject({
    thread_id,
    status: 'completed',
  })
  expect((await gate.cli('agent', 'cancel', thread_id)).code).toBe(0)
  expect((await gate.cli('agent', 'export', 'thread_nope')).code).not.toBe(0)
  expect((await gate.cli('agent', 'graph')).out).toContain('RiskGate -- "ask" --> AwaitApproval')
})
