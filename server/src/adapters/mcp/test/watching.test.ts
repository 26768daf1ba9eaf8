import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { sendRaw, listenTo, modern, rpc } from '../../../../test/helpers/send-raw.ts'
import { connectClient, type Era, type Transport } from '../../../../test/helpers/with-mcp-gate.ts'

const WATCHED = resolve(import.meta.dirname, '../../../../test/tool-servers/watched.ts')
const RULES = [
  {
    id: 'private',
    effect: 'block',
    match: { tool: '*__resources/read', role: 'agent' },
    when: 'args.uri.endsWith("/private")',
    says: 'not for agents',
  },
  { id: 'everything', effect: 'allow', match: { tool: '*' }, says: 'a gate that only looks' },
]

let gate: RunningGate & { stop(): Promise<void> }
let key: string

beforeAll(async () => {
  gate = await startGate((folder) => {
    const server = (era: Era) => ({
      command: 'node',
      args: [WATCHED, era],
      env: { EFFECTS: join(folder, 'effects.txt') },
    })
    const config = {
      listen: { port: 0 },
      mcp: { surface: 'passthrough' },
      policy: { rules: RULES },
      repetition: { most: 1_000, within_s: 1 },
      servers: { old: server('old'), new: server('new') },
    }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
  key = await gate.key('agent', 'watcher')
})
afterAll(() => gate.stop())

const POLLED = { timeout: 60_000 }
const asked = () => {
  const file = join(gate.folder, 'effects.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}
const touch = (server: Era, uri: string) =>
  sendRaw(gate, key, { body: rpc('tools/call', { name: `${server}__touch`, arguments: { uri } }) })

async function withClient(
  way: Transport,
  era: Era,
  use: (client: Client, received: string[]) => Promise<void>,
): Promise<void> {
  const client = await connectClient(gate, key, { way, era, surface: 'passthrough' })
  const received: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void received.push(params.uri))
  try {
    await use(client, received)
  } finally {
    await client.close()
  }
}

const UPSTREAMS = ['old', 'new'] as const
const WAYS = [
  ['http', 'old'],
  ['http', 'new'],
  ['stdio', 'old'],
  ['stdio', 'new'],
] as const

describe.each(WAYS)('a client over %s of the %s era', (way, era) => {
  test.each(UPSTREAMS)(
    'is notified about what it watches on a server of the %s era, about nothing else, until it unsubscribes',
    (on) =>
      withClient(way, era, async (client, received) => {
        const [page, other] = [`watched://${on}/page`, `watched://${on}/other`]
        const stop = await watch(client, era, page)
        // An old stream does not say when it is open, so the resource is changed until a notification arrives.
        await expect
          .poll(async () => {
            await touch(on, other)
            await touch(on, page)
            return received
          }, POLLED)
          .toContain(page)
        expect(received).not.toContain(other)
        await stop()
        // Another resource, changed after it: when its notification arrives, that of the first would have arrived too. Unsubscribing
        // takes a moment.
        await watch(client, era, other)
        const isStillWatched = async () => {
          received.length = 0
          await touch(on, page)
          await expect.poll(() => touch(on, other).then(() => received), POLLED).toContain(other)
          return received.includes(page)
        }
        await expect.poll(isStillWatched, POLLED).toBe(false)
      }),
  )
})

async function watch(client: Client, era: Era, uri: string): Promise<() => Promise<unknown>> {
  if (era === 'new') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] })
    expect(subscription.honoredFilter.resourceSubscriptions).toEqual([uri])
    return () => subscription.close()
  }
  await client.subscribeResource({ uri })
  return () => client.unsubscribeResource({ uri })
}

describe('a resource', () => {
  const post = (session: string, method: string, params: object) =>
    sendRaw(gate, key, { headers: { 'mcp-session-id': session }, body: rpc(method, params) })
  const sessionOf = async () => {
    const { headers } = await sendRaw(gate, key, { body: rpc('initialize', { protocolVersion: '2025-11-25' }) })
    return String(headers['mcp-session-id'])
  }
  const of = (uri: string) => asked().filter((line) => line.endsWith(uri))

  test('is subscribed to once for all watchers, and unsubscribed when the last one leaves or its session ends', async () => {
    const uri = 'watched://old/page'
    const before = of(uri).length
    const [one, two] = [await sessionOf(), await sessionOf()]
    await Promise.all([post(one, 'resources/subscribe', { uri }), post(two, 'resources/subscribe', { uri })])
    const listening = listenTo(gate, key, {
      method: 'POST',
      ...modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }),
    })
    await expect.poll(() => listening.messages.length, POLLED).toBe(1)
    expect(of(uri).slice(before)).toEqual([`subscribe ${uri}`])
    await post(one, 'resources/unsubscribe', { uri })
    listening.close()
    await sendRaw(gate, key, { method: 'DELETE', headers: { 'mcp-session-id': two } })
    await expect.poll(() => of(uri).slice(before), POLLED).toEqual([`subscribe ${uri}`, `unsubscribe ${uri}`])
  })

  test('that the caller may not read, or that no server has, cannot be watched', async () => {
    const session = await sessionOf()
    const code = async (uri: string) => (await post(session, 'resources/subscribe', { uri })).body.error?.data.code
    expect(await code('watched://old/private')).toBe('call.blocked')
    expect(await code('nowhere://page')).toBe('read.unknown')
    expect(of('watched://old/private')).toEqual([])
    const uris = ['watched://new/private', 'watched://new/page']
    const stream = listenTo(gate, key, {
      method: 'POST',
      ...modern('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }),
    })
    await expect.poll(() => stream.messages.length, POLLED).toBe(1)
    expect(stream.messages[0]).toMatchObject({
      params: { notifications: { resourceSubscriptions: ['watched://new/page'] } },
    })
    stream.close()
  })

  test.each(UPSTREAMS)('is watched again and reported when its server of the %s era was restarted', async (on) => {
    const uri = `watched://${on}/page`
    const stream = listenTo(gate, key, {
      method: 'POST',
      ...modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }),
    })
    await expect.poll(() => stream.messages.length, POLLED).toBe(1)
    await sendRaw(gate, key, { body: rpc('tools/call', { name: `${on}__die` }) })
    const updates = () => stream.messages.filter(({ method }) => method === 'notifications/resources/updated').length
    await expect.poll(updates, POLLED).toBe(1)
    await touch(on, uri)
    await expect.poll(updates, POLLED).toBe(2)
    stream.close()
  })

  test('or a prompt, or a tool that a newer server adds is reported to clients of both eras', async () => {
    const old = listenTo(gate, key, { headers: { 'mcp-session-id': await sessionOf() } })
    const lists = ['tools', 'resources', 'prompts']
    const notifications = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]))
    const stream = listenTo(gate, key, { method: 'POST', ...modern('subscriptions/listen', { notifications }) })
    await expect.poll(() => stream.messages.length, POLLED).toBe(1)
    await old.opened
    await sendRaw(gate, key, { body: rpc('tools/call', { name: 'new__grow' }) })
    for (const { messages } of [old, stream])
      await expect
        .poll(() => messages.map(({ method }) => method), POLLED)
        .toEqual(expect.arrayContaining(lists.map((list) => `notifications/${list}/list_changed`)))
    old.close()
    stream.close()
  })
})
