import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { readConfig } from '../read-config.ts'
import { serverConfigs } from '../../src/adapters/upstream/server-config.ts'
import { openTestGate } from '../helpers/with-gate.ts'
import { SERVER_KINDS } from '../../src/main/server-kinds.ts'

const isRoot = process.getuid?.() === 0
const POLICY = 'rules: [{ id: all, effect: allow, match: { tool: "*" }, says: the operating system judges }]'
const SCRIPT = resolve(import.meta.dirname, '../tool-servers/files.ts')

const faultsOf = (server: object) => {
  const config = readConfig({ servers: { s: server } })
  if (!config.ok) return config.problem.about['paths']
  const configs = serverConfigs(SERVER_KINDS, config.value.servers, '/')
  return configs.ok ? undefined : configs.problem.about['paths']
}

describe.runIf(isRoot)('a tool server that runs as another user', () => {
  test('cannot read the gate`s keys nor open its socket, and has its own folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-user-'))
    chmodSync(folder, 0o755)
    const run = (...words: string[]) => ({ description: 'x', effects: ['read'], run: words })
    const data = join(folder, 'data')
    const shell = {
      user: 'nobody',
      commands: {
        who: run('sh', '-c', 'id -un; id -G; echo $HOME $USER $LOGNAME'),
        key: run('sh', '-c', `cat ${data}/admin.key ${data}/keys/token-keys.json ${data}/ledger.sqlite; ls ${data}`),
        keep: run('sh', '-c', 'touch "$SLUICE_DATA/mine" && ls "$SLUICE_DATA"'),
        others: run('sh', '-c', 'ls "$SLUICE_DATA/.."'),
      },
    }
    const files = { command: 'node', args: [SCRIPT], user: 'nobody' }
    const rig = await openTestGate(folder, { policy: POLICY, config: { servers: { shell, files } } })
    try {
      expect(statSync(data).mode & 0o777).toBe(0o700)
      const textOf = async (tool: string, args = {}) => JSON.stringify(await rig.call(tool, args))
      expect(await textOf('shell__who')).toMatch(/"nobody\\n65534\\n\/nonexistent nobody nobody\\n"/)
      const key = await textOf('shell__key')
      expect(key.match(/Permission denied/g)?.length).toBeGreaterThanOrEqual(3)
      expect(key).toContain('isError')
      expect(await textOf('shell__keep')).toContain('mine')
      expect(statSync(`${data}-servers/shell`).uid).toBe(65_534)
      expect(await textOf('shell__others')).toContain('Permission denied')
      const written = await textOf('files__write', { path: join(folder, 'x.txt'), content: 'x' })
      expect(written).toContain('EACCES')
      expect(existsSync(join(folder, 'x.txt'))).toBe(false)
      expect(await textOf('files__write', { path: `${data}-servers/files/x.txt`, content: 'x' })).toContain('written')
    } finally {
      await rig.opened.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test.each([
    [{ command: 'x', user: 'nobody-at-all' }, 'servers.s.user: there is no user `nobody-at-all`'],
    [{ command: 'x', user: 'root' }, 'servers.s.user: a server that runs as root can read all data of the gate'],
    [
      { commands: { x: { description: 'x', run: ['true'] } }, user: 'root' },
      'servers.s.user: a server that runs as root can read all data of the gate',
    ],
  ])('is rejected if the user does not exist or is root: %j', (server, fault) => {
    expect(faultsOf(server)).toBe(fault)
  })
})

test('another user is rejected if the gate does not run as root', () => {
  const asked = vi.spyOn(process, 'getuid').mockReturnValue(1000)
  expect(faultsOf({ command: 'x', user: 'nobody' })).toBe(
    'servers.s.user: only a gate that runs as root can start a server as another user',
  )
  asked.mockRestore()
})

test('a server that the gate does not start has no `user` setting', () => {
  expect(faultsOf({ url: 'https://a.example', user: 'nobody' })).toContain('user')
})
