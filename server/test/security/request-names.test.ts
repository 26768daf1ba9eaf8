import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rmSync } from 'node:fs'
import { run, runGate, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { sendRaw, modern, rpc } from '../helpers/send-raw.ts'
import { someOf } from '../some-of.ts'
import { isGoneRoute } from '../this-build.ts'

/** The names that callers choose, an idempotency key and a thread, through every door: rejected if invalid, never cut. */
let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let admin = ''
beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
  admin = await gate.key('admin', 'root')
})
afterAll(() => gate.stop())

const LONG = 'k'.repeat(200)
const BAD_KEYS = [`${LONG}x`, 'a b', 'k\u00e9y', '\u{1f511}']
const BAD_THREADS = ['t'.repeat(129), 'a\nb', 'a\u0000b', 'a\u202eb', 'a\u2028b', 'a\u200bb', '']
type Door = readonly [path: string, body: object]
const isHere = ([path]: Door) => !isGoneRoute(`POST ${path}`)
const look = { tool: 'book__look', args: { where: 'x' } }
const meta = (more: object) => ({ name: 'book__look', arguments: { where: 'x' }, _meta: more })
const modernMeta = (more: object) => {
  const { headers, body } = modern('tools/call', { name: 'book__look', arguments: { where: 'x' } })
  const { params } = body as { params: { _meta: object } }
  return { headers, body: { ...(body as object), params: { ...params, _meta: { ...params._meta, ...more } } } }
}
/** One line of MCP over `sluice mcp`. */
async function stdio(message: object): Promise<string> {
  return (await run(gate.folder, ['mcp', '--agent', 'stdio'], `${JSON.stringify(message)}\n`)).out
}

describe('an idempotency key', () => {
  test('of 200 characters is used completely: another key with the same beginning is different', async () => {
    const make = (key: string) =>
      sendRaw(gate, agent, { path: '/v1/calls', headers: { 'idempotency-key': key }, body: look })
    const [one, again, other] = [await make(LONG), await make(LONG), await make(`${LONG.slice(0, 199)}x`)]
    expect(again.body['call_id']).toBe(one.body['call_id'])
    expect(other.body['call_id']).not.toBe(one.body['call_id'])
  })

  test.each(someOf(BAD_KEYS, 3))('such as %j is rejected at every door with the same code', async (key) => {
    const about = { paths: expect.stringContaining('idempotency-key') }
    const refused = { error: { data: { code: 'request.invalid', about } } }
    // Characters that an HTTP header cannot contain are sent as bytes.
    const header = { 'idempotency-key': Buffer.from(key).toString('latin1') }
    const doors: Door[] = [
      ['/v1/calls', look],
      ['/v1/toolflow', { user_prompt: 'look around' }],
      ['/v1/pauses', { scope: 'tool:x', active: false }],
    ]
    for (const [path, body] of doors.filter(isHere))
      expect(
        (await sendRaw(gate, path === '/v1/pauses' ? admin : agent, { path, headers: header, body })).body,
      ).toMatchObject({ code: 'request.invalid', status: 400 })
    expect((await sendRaw(gate, agent, { headers: header, body: rpc('tools/call', meta({})) })).body).toMatchObject(
      refused,
    )
    const inMeta = { 'sluice/idempotency-key': key }
    expect((await sendRaw(gate, agent, { body: rpc('tools/call', meta(inMeta)) })).body).toMatchObject(refused)
    expect((await sendRaw(gate, agent, modernMeta(inMeta))).body).toMatchObject(refused)
    expect(await stdio(rpc('tools/call', meta(inMeta)))).toContain('request.invalid')
    const ran = await gate.cli('call', 'book__look', '{"where":"x"}', '--idempotency-key', key)
    expect([ran.code === 0, ran.err]).toEqual([false, expect.stringContaining('request.invalid')])
  })

  test('in `_meta` names the same call as in the header, and two that differ are refused', async () => {
    const body = rpc('tools/call', meta({ 'sluice/idempotency-key': 'one' }))
    const calls = async () => {
      const { body: page } = await gate.http('GET', '/v1/audit?from=1&limit=1000', admin)
      return (page['items'] as { type: string }[]).filter(({ type }) => type === 'call.started').length
    }
    await sendRaw(gate, agent, { body })
    const before = await calls()
    await sendRaw(gate, agent, { body })
    await sendRaw(gate, agent, { headers: { 'idempotency-key': 'one' }, body: rpc('tools/call', meta({})) })
    expect(await calls()).toBe(before)
    expect((await sendRaw(gate, agent, { headers: { 'idempotency-key': 'two' }, body })).body).toMatchObject({
      error: { data: { code: 'request.invalid' } },
    })
  })
})

describe('the name of a thread', () => {
  test.each(someOf(BAD_THREADS, 3))('such as %j is rejected at every door with the same code', async (thread) => {
    const doors: Door[] = [
      ['/v1/calls', { ...look, thread }],
      ['/v1/toolflow', { user_prompt: 'look around', thread }],
    ]
    for (const [path, body] of doors.filter(isHere))
      expect((await sendRaw(gate, agent, { path, body })).body).toMatchObject({
        code: 'request.invalid',
        status: 400,
      })
    const refused = { error: { data: { code: 'request.invalid' } } }
    const inMeta = { 'sluice/session': thread }
    expect((await sendRaw(gate, agent, { body: rpc('tools/call', meta(inMeta)) })).body).toMatchObject(refused)
    expect((await sendRaw(gate, agent, modernMeta(inMeta))).body).toMatchObject(refused)
    expect(await stdio(rpc('tools/call', meta(inMeta)))).toContain('request.invalid')
    if (!thread.includes('\u0000'))
      expect((await gate.cli('call', 'book__look', '{}', '--session', thread)).err).toContain('request.invalid')
  })

  test('of anything but text is refused too', async () => {
    for (const named of [7, null, {}, ['a']])
      expect(
        (await sendRaw(gate, agent, { body: rpc('tools/call', meta({ 'sluice/session': named })) })).body,
      ).toMatchObject({ error: { data: { code: 'request.invalid' } } })
  })
})

test('a caller that names no session has the same one at every door, also after a restart', async () => {
  const threads = async () => {
    const { body: page } = await gate.http('GET', '/v1/audit?from=1&limit=1000', admin)
    const items = page['items'] as { type: string; actor: string; subject: { thread?: string } }[]
    return items
      .filter(({ type, actor }) => type === 'call.started' && actor === 'agent:quiet')
      .map((e) => e.subject.thread)
  }
  const quiet = await gate.key('agent', 'quiet', 'ana')
  await sendRaw(gate, quiet, { path: '/v1/calls', body: look })
  await sendRaw(gate, quiet, { body: rpc('tools/call', meta({})) })
  await sendRaw(gate, quiet, modernMeta({}))
  await run(gate.folder, ['--key', quiet, 'call', 'book__look', '{"where":"x"}'])
  await run(gate.folder, ['--key', quiet, 'mcp'], `${JSON.stringify(rpc('tools/call', meta({})))}\n`)
  const folder = gate.folder
  gate.process.kill('SIGKILL')
  await new Promise((done) => gate.process.once('exit', done))
  gate = await runGate(folder)
  await sendRaw(gate, quiet, { path: '/v1/calls', body: look })
  const seen = await threads()
  expect(seen).toHaveLength(6)
  expect(new Set(seen)).toEqual(new Set([expect.stringMatching(/^idle:/)]))
  rmSync(folder, { recursive: true, force: true })
})
