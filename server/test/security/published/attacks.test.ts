import type { Client } from '@modelcontextprotocol/client'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effectsIn } from '../../helpers/with-gate.ts'
import { sendRaw } from '../../helpers/send-raw.ts'
import { connectClient } from '../../helpers/with-mcp-gate.ts'
import { CALLS, REQUESTS, type Door } from './attacks.ts'
import { installPublished } from './pack.ts'
import { PROCESS_SCENARIOS } from './process-scenarios.ts'
import { TEXT_SCENARIOS } from './text-scenarios.ts'
import { fill, prepare, startPublished, type Names, type Published } from './with-published-gate.ts'

/** By `npm run test:security`: `npm test` has the same guards one by one, nearer to their code. */
const IS_WHOLE = process.env['SLUICE_SECURITY'] === 'whole'

const folder = mkdtempSync(join(tmpdir(), 'sluice-published-'))
let launcher = ''
let gate: Published
let names: Names
let client: Client
beforeAll(async () => {
  if (!IS_WHOLE) return
  launcher = installPublished(folder)
  gate = await startPublished(launcher)
  names = await prepare(gate)
  client = await connectClient(gate, names['agent'] ?? '', { way: 'stdio', era: 'old', surface: 'passthrough' })
}, 180_000)
afterAll(async () => {
  await client?.close()
  await gate?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Makes a call at a door and gives all that was answered. */
const DOORS: Record<Door, (tool: string, args: object) => Promise<string>> = {
  async http(tool, args) {
    return (await sendRaw(gate, names['agent'], { path: '/v1/calls', body: { tool, args } })).text
  },
  async mcp(tool, args) {
    const response = await client.callTool({ name: tool, arguments: args as Record<string, unknown> }).catch(String)
    return typeof response === 'string' ? response : JSON.stringify(response)
  },
  async cli(tool, args) {
    const { out, err } = await gate.cli('--json', '--key', names['agent'] ?? '', 'call', tool, JSON.stringify(args))
    return `${out}${err}`
  },
}

describe.skipIf(!IS_WHOLE)('over the package as it is published, an agent that', () => {
  test('runs compiled code, without sources', () => {
    expect(readFileSync(join(launcher, '../../dist/main/main.js'), 'utf8')).toContain('import')
    expect(() => readFileSync(join(launcher, '../../src/main/main.ts'))).toThrow('ENOENT')
  })

  test('gets the licence and the readme with it', () => {
    for (const file of ['LICENSE', 'README.md'])
      expect(readFileSync(join(folder, 'installed/package', file), 'utf8').length).toBeGreaterThan(1_000)
  })

  const cases = CALLS.flatMap((attack) =>
    (attack.doors ?? (['http', 'mcp', 'cli'] as const)).map((door) => [attack.name, door, attack] as const),
  )
  test.each(cases)('%s (%s)', async (_name, door, { tool, args, says, runs }) => {
    const before = effectsIn(gate.folder).length
    const response = await DOORS[door](tool, fill(args, names))
    // The MCP door answers in text: a result that is not an error means that the call ran.
    const isSaid =
      response.includes(says) || (door === 'mcp' && says === 'executed' && !response.includes('"isError":true'))
    expect([response, isSaid]).toEqual([response, true])
    expect(effectsIn(gate.folder).length - before).toBe(runs === true ? 1 : 0)
    for (const secret of [names['admin'] ?? '', gate.notes()]) expect(response).not.toContain(secret)
  })

  test.each(REQUESTS.map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
    const { as, method = 'POST', path, body, headers = {}, status, code } = fill(attack, names)
    const before = effectsIn(gate.folder).length
    const response = await sendRaw(gate, as === '' ? undefined : as, { method, path, headers, body })
    expect([response.status, response.body['code'], response.text]).toEqual([status, code, response.text])
    const { body: still } = await gate.http('GET', `/v1/approvals/${names['held']}`, names['approver'])
    expect(still['state']).toBe('pending')
    expect(effectsIn(gate.folder)).toHaveLength(before)
  })
})

describe.skipIf(!IS_WHOLE)('over the package as it is published,', () => {
  test.each([...PROCESS_SCENARIOS, ...TEXT_SCENARIOS].map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    (_name, scenario) => scenario.run(launcher),
    120_000,
  )
})
