import { request } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'

const PROXY = '127.0.0.2'
const PER_ADDRESS = 2

/** Every address of 127.0.0.0/8 is this machine only on Linux. */
describe.skipIf(process.platform !== 'linux')('a gate behind a proxy', () => {
  let gate: RunningGate & { stop(): Promise<void> }
  beforeAll(async () => {
    gate = await startGate((folder) => {
      const failures = { per_address: PER_ADDRESS, overall: 1_000, window_s: 600 }
      const listen = { port: 0, proxies: { addresses: [PROXY] } }
      writeFileSync(
        join(folder, 'sluice.yaml'),
        JSON.stringify({ listen, auth: { failures }, metrics: { open: true } }),
      )
    })
  })
  afterAll(() => gate.stop())

  /** The status of a request from this address of loopback. */
  const send = (from: string, path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((done, fail) => {
      const sent = request(`${gate.url}${path}`, { localAddress: from, headers, agent: false }, (answer) => {
        answer.resume()
        answer.once('end', () => done(answer.statusCode ?? 0))
      })
      sent.once('error', fail)
      sent.end()
    })
  let guesses = 0
  const guess = (from: string, forwarded: string | undefined, path = '/v1/tools') =>
    send(from, path, {
      authorization: `Bearer sluice_agent_wrong${(guesses += 1)}`,
      ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    })

  test('counts wrong keys by the address that the proxy reports, at both doors, and the audit names it', async () => {
    expect(await guess(PROXY, '198.51.100.1')).toBe(401)
    // What the client put there before the proxy changes nothing.
    expect(await guess(PROXY, '192.0.2.99, 198.51.100.1', '/mcp')).toBe(401)
    expect(await guess(PROXY, '192.0.2.100, 198.51.100.1')).toBe(429)
    expect(await guess(PROXY, '198.51.100.1', '/mcp')).toBe(429)
    // Other clients of the same proxy do not have to wait.
    expect(await guess(PROXY, '198.51.100.2')).toBe(401)
    const { out } = await gate.cli('--json', 'audit', 'tail')
    expect(out).toContain('198.51.100.1')
    expect(out).not.toContain('192.0.2.')
  })

  test('ignores the header of a client that is not a proxy, so nobody can use it to avoid the limit', async () => {
    const statuses: number[] = []
    for (let nth = 0; nth < PER_ADDRESS + 1; nth += 1) statuses.push(await guess('127.0.0.3', `203.0.113.${nth}`))
    expect(statuses).toEqual([401, 401, 429])
  })

  test('shows metrics without a key to this machine, but not to clients behind the proxy', async () => {
    expect(await send('127.0.0.1', '/metrics', {})).toBe(200)
    expect(await send(PROXY, '/metrics', { 'x-forwarded-for': '198.51.100.1' })).toBe(401)
    expect(await send(PROXY, '/metrics', { 'x-forwarded-for': '127.0.0.1, 198.51.100.1' })).toBe(401)
    expect(await send('127.0.0.3', '/metrics', { 'x-forwarded-for': '198.51.100.1' })).toBe(200)
  })
})
