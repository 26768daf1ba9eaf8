import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProxyReply, ProxiedMethod } from '../proxy.ts'
import type { ServerNotification } from '../../ports/upstream.ts'
import type { Caller } from '../../contract/caller.ts'
import type { JsonObject } from '../../contract/json.ts'
import { ADMIN, AGENT, openTestGate, USER, type GateRig } from '../../../../test/helpers/with-gate.ts'

const SHELF = resolve(import.meta.dirname, '../../../../test/tool-servers/shelf.ts')
const shelf = (name: string, more: object = {}) => ({
  command: process.execPath,
  args: [SHELF, name],
  tools: { change: { effects: ['read'] } },
  ...more,
})

/** Two servers with the same resource names, one that does not answer, and one that only users may read. */
const POLICY = `
rules:
  - { id: private, effect: block, match: { server: private, role: agent }, says: not for agents }
  - { id: asked, effect: ask, match: { tool: second__prompts/get, role: agent }, says: ask first }
  - { id: no-secret-page, effect: block, match: { tool: 'first__resources/read' }, when: 'args.uri == "shelf://first/hidden" || args.uri.endsWith("/secret")', says: hidden }
  - { id: reads, effect: allow, match: { effects: read }, says: reading is free }
`

let folder: string
let rig: GateRig

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-proxy-'))
  const servers = {
    first: shelf('first'),
    second: shelf('second'),
    stuck: shelf('stuck', { timeout_ms: 500 }),
    private: shelf('private'),
  }
  rig = await openTestGate(folder, { policy: POLICY, config: { servers } })
  await rig.opened.settled
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true })
})

const POLLED = { timeout: 60_000 }
const ask = (method: ProxiedMethod, params: JsonObject = {}, caller: Caller = AGENT) =>
  rig.gate.proxy.ask(caller, { method, params, thread: 't1' })
const resultOf = (answer: ProxyReply): JsonObject => {
  if (answer.is !== 'answered') throw new Error(JSON.stringify(answer))
  return answer.result
}
const codeOf = (answer: ProxyReply) => (answer.is === 'refused' ? answer.problem.code : answer.is)
const audit = async () =>
  (await rig.gate.audit.page(undefined, 1, 10_000)).map(({ type, subject }) => ({ type, subject }))

describe('resources and prompts of tool servers', () => {
  test('are listed together, without a server that does not answer in time and without what the caller may not see', async () => {
    const { resources } = resultOf(await ask('resources/list')) as { resources: { uri: string; name: string }[] }
    expect(resources.map(({ uri }) => uri)).toEqual([
      'shelf://first/page',
      'shelf://first/hidden',
      'shelf://both',
      'shelf://second/page',
      'shelf://second/hidden',
    ])
    expect(resources.find(({ uri }) => uri === 'shelf://both')?.name).toBe('of first')
    const { prompts } = resultOf(await ask('prompts/list', {}, USER)) as { prompts: { name: string }[] }
    expect(prompts.map(({ name }) => name)).toEqual(['first__greet', 'second__greet', 'private__greet'])
    expect(await audit()).toContainEqual({ type: 'read.listed', subject: { thread: 't1' } })
  })

  test('are requested from the server that listed them, by its own names', async () => {
    const page = resultOf(await ask('resources/read', { uri: 'shelf://second/page' }))
    expect(page).toMatchObject({ contents: [{ uri: 'shelf://second/page', text: 'a page of second' }] })
    // Both have it; the first one's is the one that is listed.
    expect(resultOf(await ask('resources/read', { uri: 'shelf://both' }))).toMatchObject({
      contents: [{ text: 'a page of first' }],
    })
    const greeting = resultOf(await ask('prompts/get', { name: 'first__greet', arguments: { who: 'Ana' } }))
    expect(JSON.stringify(greeting)).toContain('first greets Ana')
    expect(resultOf(await ask('resources/read', { uri: 'shelf://second/numbers/7' }))).toMatchObject({
      contents: [{ text: 'number 7 of second' }],
    })
    const ref = { type: 'ref/prompt', name: 'second__greet' }
    const completed = resultOf(await ask('completion/complete', { ref, argument: { name: 'who', value: 'A' } }))
    expect(completed).toMatchObject({ completion: { values: ['Ana of second'] } })
  })

  test('that no server has are unknown, and a server`s own error is passed on', async () => {
    expect(codeOf(await ask('resources/read', { uri: 'shelf://nowhere' }))).toBe('read.unknown')
    expect(codeOf(await ask('prompts/get', { name: 'greet' }))).toBe('read.unknown')
    expect(codeOf(await ask('prompts/get', { name: 'first__none' }))).toBe('read.unknown')
    expect(await ask('resources/read', { uri: 'shelf://first/numbers/none' })).toMatchObject({
      is: 'rejected',
      error: { code: -32002 },
    })
  })

  test('are judged by the policy as reads of their server, and `ask` means refused', async () => {
    const hidden = await ask('resources/read', { uri: 'shelf://first/hidden' })
    expect(hidden).toMatchObject({
      is: 'refused',
      problem: { code: 'call.blocked', about: { rules: 'no-secret-page' } },
    })
    expect(codeOf(await ask('prompts/get', { name: 'second__greet' }))).toBe('read.needs_person')
    expect(codeOf(await ask('prompts/get', { name: 'private__greet' }))).toBe('call.blocked')
    expect(codeOf(await ask('prompts/get', { name: 'private__greet' }, USER))).toBe('answered')
    const seen = await audit()
    for (const [type, tool] of [
      ['read.started', 'private__prompts/get'],
      ['read.refused', 'first__resources/read'],
      ['read.refused', 'second__prompts/get'],
    ])
      expect(seen.some((entry) => entry.type === type && entry.subject['tool'] === tool)).toBe(true)
  })

  test('contain no secret of a server, and pictures are unchanged', async () => {
    const text = JSON.stringify(resultOf(await ask('resources/read', { uri: 'shelf://second/hidden' })))
    expect(text).not.toContain('AKIAQ3EGRZ7XMPLE2TWN')
    expect(text).toContain('"blob":"QUtJQVEzRUdSWjdYTVBMRTJUV04="')
  })

  test('are not read while their server is paused', async () => {
    const order = { scope: 'server:first', effect: 'block', reason: 'a look' } as const
    await rig.gate.pauses.set(ADMIN, { ...order, active: true })
    expect(codeOf(await ask('resources/read', { uri: 'shelf://first/page' }))).toBe('call.blocked')
    await rig.gate.pauses.set(ADMIN, { ...order, active: false })
    expect(codeOf(await ask('resources/read', { uri: 'shelf://first/page' }))).toBe('answered')
  })

  test('that are watched are reported with their sub-resources, as long as the caller may read them', async () => {
    const received: string[] = []
    const watching = await rig.gate.proxy.watch(
      AGENT,
      { uri: 'shelf://first/numbers/1' },
      (uri) => void received.push(uri),
    )
    if (watching.is !== 'watching') throw new Error(JSON.stringify(watching))
    const change = () => rig.gate.calls.dispatch({ caller: USER, tool: 'first__change', args: {}, thread: 't3' })
    await change()
    const expected = ['shelf://first/numbers/1/a', 'shelf://first/numbers/1']
    await expect.poll(() => received, POLLED).toEqual(expected)
    watching.stop()
    const user: string[] = []
    const theirs = await rig.gate.proxy.watch(USER, { uri: 'shelf://first/numbers/1' }, (uri) => void user.push(uri))
    await change()
    await expect.poll(() => user, POLLED).toEqual(expected)
    expect(received).toEqual(expected)
    if (theirs.is === 'watching') theirs.stop()
    const refused = await rig.gate.proxy.watch(AGENT, { uri: 'shelf://private/page' }, () => undefined)
    expect(refused).toMatchObject({ is: 'refused', problem: { code: 'call.blocked' } })
  })

  test('that change are reported to callers who may list them', async () => {
    const received: Record<string, ServerNotification[]> = { agent: [], user: [] }
    const stops = [
      rig.gate.proxy.onNotification(AGENT, (notification) => void received['agent']?.push(notification)),
      rig.gate.proxy.onNotification(USER, (notification) => void received['user']?.push(notification)),
    ]
    await rig.gate.calls.dispatch({ caller: USER, tool: 'private__change', args: {}, thread: 't2' })
    await rig.gate.calls.dispatch({ caller: USER, tool: 'first__change', args: {}, thread: 't2' })
    await expect.poll(() => received['user']?.map(({ server }) => server), POLLED).toEqual(['private', 'first'])
    expect(received['agent']?.map(({ server }) => server)).toEqual(['first'])
    for (const stop of stops) stop()
  })
})
