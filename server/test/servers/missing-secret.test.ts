import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { doctor } from '../../src/main/doctor/doctor.ts'
import { run, startGate } from '../helpers/with-running-gate.ts'
import { BOOK_TOOLS } from '../helpers/with-gate.ts'

vi.setConfig({ testTimeout: 60_000 })

const server = resolve(import.meta.dirname, '../tool-servers/effects.ts')

/** Every way to refer to a secret, each in a server of its own, beside one that needs none. */
function configure(folder: string): void {
  const stdio = (env: object) => ({ command: 'node', args: [server], env: { EFFECTS: join(folder, 'x'), ...env } })
  const url = 'http://127.0.0.1:1/mcp'
  const servers = {
    book: { ...stdio({}), tools: BOOK_TOOLS },
    variable: stdio({ TOKEN: 'env:SLUICE_TEST_NOT_SET' }),
    file: { ...stdio({ TOKEN: 'file:./later' }), tools: BOOK_TOOLS },
    header: { url, headers: { 'x-key': 'env:SLUICE_TEST_NOT_SET' } },
    oauth: { url, oauth: { token_url: 'http://127.0.0.1:1/', client_id: 'c', client_secret: 'file:./never' } },
  }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, servers }))
}

test('a server whose secret is missing is down alone, says why, and is started by a retry once the file is there', async () => {
  const gate = await startGate(configure)
  try {
    const agent = await gate.key('agent', 'a')
    const look = (tool: string) => gate.http('POST', '/v1/calls', agent, { tool, args: {} })
    expect((await look('book__look')).body).toMatchObject({ status: 'executed' })
    const admin = await gate.key('admin', 'root')
    const { body } = await gate.http('GET', '/v1/servers', admin)
    const states = new Map((body['items'] as Record<string, unknown>[]).map((each) => [each['server'], each]))
    for (const [name, says] of [
      ['variable', /`env\.TOKEN`: the variable SLUICE_TEST_NOT_SET is not set in the environment of the gate; set it/],
      ['file', /`env\.TOKEN`: \.\/later cannot be read; create it, then run `sluice servers retry file`/],
      ['header', /`headers\.x-key`: the variable SLUICE_TEST_NOT_SET/],
      ['oauth', /`oauth\.client_secret`: \.\/never cannot be read/],
    ] as const)
      expect(states.get(name), name).toMatchObject({
        state: 'waiting',
        last_failure: expect.stringMatching(says) as unknown,
      })
    const { findings } = await doctor({ config: join(gate.folder, 'sluice.yaml') })
    expect(findings.filter(({ severity }) => severity === 'error').map(({ about }) => about)).toEqual([
      'server variable',
      'server file',
      'server header',
      'server oauth',
    ])
    writeFileSync(join(gate.folder, 'later'), 'secret-in-a-file\n')
    expect(await gate.cli('servers', 'retry', 'file')).toMatchObject({ code: 0 })
    expect((await look('file__look')).body).toMatchObject({ status: 'executed' })
    expect(await gate.cli('down')).toMatchObject({ code: 0 })
    const down = await run(gate.folder, ['doctor'])
    expect(down.out).toContain('server variable: is not started by a gate')
    expect(down.out).toContain('as far as this terminal shows')
    expect(down.out).toContain('server book: starts and lists')
  } finally {
    await gate.stop()
  }
})
