import { globSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rpc } from '../../../../test/helpers/send-raw.ts'
import { run as runCommand, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
beforeAll(async () => {
  gate = await startGate()
  admin = await gate.key('admin', 'root', 'root')
})
afterAll(() => gate.stop())

const run = (env: Record<string, string>, words: readonly string[], input?: string) =>
  runCommand(gate.folder, words, input, { env })

/** Who made the newest call. */
async function lastCaller(): Promise<string> {
  const { body } = await gate.http('GET', '/v1/audit?from=1&limit=1000', admin)
  const items = body['items'] as { type: string; actor: string }[]
  return items.findLast(({ type }) => type === 'call.started')?.actor ?? ''
}
const CALL = ['call', 'book__look', '{"where":"x"}']
const message = (where: string) =>
  `${JSON.stringify(rpc('tools/call', { name: 'book__look', arguments: { where } }))}\n`

describe('the command line determines its caller', () => {
  test('by --as, also when SLUICE_KEY is set, and says that the key is not used', async () => {
    const ran = await run({ SLUICE_KEY: admin }, ['--as', 'agent:lesser', ...CALL])
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('SLUICE_KEY is not used')])
    expect(await lastCaller()).toBe('agent:lesser')
  })

  test('by mcp --agent, also when SLUICE_KEY and SLUICE_URL are set', async () => {
    const env = { SLUICE_KEY: admin, SLUICE_URL: 'http://127.0.0.1:9' }
    const ran = await run(env, ['mcp', '--agent', 'bridge'], message('agent'))
    expect(ran.err).toContain('SLUICE_KEY is not used')
    expect(ran.err).toContain('SLUICE_URL is not used')
    expect(await lastCaller()).toBe('agent:bridge')
  })

  test('by SLUICE_KEY if no option names one, also for mcp', async () => {
    await run({ SLUICE_KEY: admin }, CALL)
    expect(await lastCaller()).toBe('admin:root')
    await run({ SLUICE_KEY: admin }, ['--as', 'agent:between', ...CALL])
    await run({ SLUICE_KEY: admin }, ['mcp'], message('key'))
    expect(await lastCaller()).toBe('admin:root')
    await run({ SLUICE_KEY: '' }, ['mcp'], message('default'))
    expect(await lastCaller()).toBe('agent:mcp')
  })

  test('never by a guess: two options that name two callers are an error', async () => {
    const before = await lastCaller()
    const mistakes = [
      ['--key', admin, '--as', 'agent:a', ...CALL],
      ['--url', gate.url, '--as', 'agent:a', ...CALL],
      ['--key', admin, 'mcp', '--agent', 'a'],
      ['--as', 'admin:a', 'mcp', '--agent', 'a'],
    ]
    for (const words of mistakes)
      expect([words, await run({}, words, message('never'))]).toMatchObject([words, { code: 64, out: '' }])
    expect(await lastCaller()).toBe(before)
  })
})

describe('on the local socket', () => {
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const [socket = ''] = globSync('**/*.sock', { cwd: join(gate.folder, '.sluice') })
      const asked = request(
        { socketPath: join(gate.folder, '.sluice', socket), path: '/v1/keys', headers },
        (reply) => {
          reply.resume()
          resolve(reply.statusCode ?? 0)
        },
      )
      asked.on('error', reject).end()
    })

  test('a request with a wrong credential is never treated as the owner', async () => {
    expect(await ask({})).toBe(200)
    expect(await ask({ authorization: `Bearer ${admin}` })).toBe(200)
    const wrong: Record<string, string>[] = [
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: 'Basic cm9vdDpyb290' },
      { authorization: `Bearer ${admin}`, 'x-sluice-as': 'agent:a' },
      { 'x-sluice-as': '' },
      { 'x-sluice-as': 'agent' },
      { 'x-sluice-as': 'admin:a:ana smith' },
      { 'x-sluice-as': 'admin:a:ana:eve' },
      { 'x-sluice-as': 'root:a' },
      // One person at the socket is not two approvers.
      { 'x-sluice-as': 'approver:ada:ada' },
      { 'x-sluice-as': 'admin:ada:ada' },
    ]
    for (const headers of wrong) expect([headers, await ask(headers)]).toEqual([headers, 401])
  })
})
