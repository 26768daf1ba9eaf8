import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../../test/helpers/with-gate.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

/** Tool servers that are down: what people see of them, and how they try again. */
let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
let log = ''
const keys = new Map<string, string>()
const STARTING = resolve(import.meta.dirname, '../../../../test/tool-servers/starting.ts')
const mended = () => join(gate.folder, 'mended')

beforeAll(async () => {
  gate = await startGate((folder) => {
    const mail = { command: 'node', args: [STARTING, 'complains', join(folder, 'mended')] }
    const config = { listen: { port: 0 }, servers: { mail, gone: { url: 'http://127.0.0.1:9/mcp' } } }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
  gate.process.stderr?.on('data', (text: string) => (log += text))
  admin = await gate.key('admin', 'root', 'root')
  for (const kind of ['approver', 'reviewer', 'user'])
    keys.set(kind, String((await gate.http('POST', '/v1/keys', admin, { kind, name: kind })).body['key']))
})
afterAll(() => gate.stop())

type Shown = { server: string; state: string; failures: number; since: number; stderr: string[] } & Record<
  string,
  unknown
>
async function shown(server: string): Promise<Shown> {
  const { body } = await gate.http('GET', '/v1/servers', admin)
  return (body['items'] as Shown[]).find((one) => one.server === server) as Shown
}
const retry = (server: string, key: string | undefined = admin) => gate.http('POST', `/v1/servers/${server}/retry`, key)
const retried = async () => {
  const { body } = await gate.http('GET', '/v1/audit?last=100', admin)
  return (body['items'] as { type: string; actor: string; subject: object }[])
    .filter(({ type }) => type === 'server.retried')
    .map(({ actor, subject }) => ({ actor, subject }))
}

test('each says why it is down, since when, and what it wrote last', async () => {
  await until(async () => (await shown('mail')).failures > 2)
  const mail = await shown('mail')
  expect(mail).toMatchObject({ last_failure: 'it did not answer (exit code 1)', tools: 0 })
  expect(mail.stderr.at(-1)).toBe('Error: TOKEN⟨U+202E⟩ is not set')
  expect(mail.since).toBeGreaterThan(Date.now() - 600_000)
  expect(await shown('gone')).toMatchObject({ last_failure: expect.stringContaining('could not be reached') as string })
})

test('fills no log, however often it is tried', async () => {
  await until(async () => (await shown('gone')).failures > 5)
  expect(log.match(/"server":"gone"/g) ?? []).toHaveLength(0)
})

test('is retried at once by somebody who may decide, and the attempt is in the audit', async () => {
  await until(async () => (await shown('mail')).state === 'waiting')
  expect(await retry('mail', keys.get('approver'))).toMatchObject({ status: 200, body: { server: 'mail' } })
  writeFileSync(mended(), '')
  await until(async () => {
    const { state } = await shown('mail')
    if (state === 'waiting') await retry('mail')
    return state === 'ready'
  })
  const actors = (await retried()).map(({ actor, subject }) => [actor, subject])
  expect(actors).toContainEqual(['approver:approver', { server: 'mail' }])
  // Nothing is done, or recorded, about a server that works.
  const before = (await retried()).length
  expect(await retry('mail')).toMatchObject({ status: 200, body: { state: 'ready', tools: 2 } })
  expect(await retried()).toHaveLength(before)
})

test('the command line shows the same, and retries', async () => {
  const listed = await gate.cli('servers')
  expect(listed.out).toMatch(/gone +down +0 +it did not answer \(could not be reached/)
  expect(await gate.cli('servers', 'retry', 'gone')).toMatchObject({
    code: 1,
    out: expect.stringContaining('gone is still down: it did not answer') as string,
  })
  expect(await gate.cli('servers', 'retry', 'mail')).toMatchObject({ code: 0, out: 'mail is ready\n' })
})

test('nobody else can retry it, and an unknown server has nothing to retry', async () => {
  for (const kind of ['reviewer', 'user'])
    expect(await retry('gone', keys.get(kind))).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } })
  expect(await retry('nobody')).toMatchObject({ status: 404, body: { code: 'server.unknown' } })
})
