import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LAUNCHER } from '../../../test/built/built.ts'
import { type Ran } from '../../../test/helpers/host-command.ts'
import { run, startGate, trustConfig, type RunningGate } from '../../../test/helpers/with-running-gate.ts'
import { someOf } from '../../../test/some-of.ts'
import { isGoneCommand } from '../../../test/this-build.ts'
import { MISTAKES, type Mistake } from './command-mistakes.suite.ts'

let gate: RunningGate & { stop(): Promise<void> }
const elsewhere = mkdtempSync(join(tmpdir(), 'sluice-elsewhere-'))
const folderOf = (name: string, yaml?: string): string => {
  const folder = join(elsewhere, name)
  mkdirSync(folder, { recursive: true })
  if (yaml !== undefined) writeFileSync(join(folder, 'sluice.yaml'), yaml)
  return folder
}

beforeAll(async () => {
  gate = await startGate()
  writeFileSync(join(gate.folder, 'bad.json'), '{\n  "text": "a",\n}\n')
  writeFileSync(join(gate.folder, 'empty-document.yaml'), 'gosuto: v1\n')
  writeFileSync(join(gate.folder, 'open-bracket.yaml'), 'metadata: [\n')
  writeFileSync(join(gate.folder, 'empty-bundle.json'), '{"flow":{"flow_id":"flow_x","version":"1.0.0"}}')
})
afterAll(async () => {
  await gate.stop()
  rmSync(elsewhere, { recursive: true, force: true })
})

function answered({ code, out, err }: Ran, { says, code: expected }: Pick<Mistake, 'says' | 'code'>): void {
  const shown = `${out}${err}`
  for (const words of says) expect(shown).toContain(words)
  expect(shown).not.toMatch(/\n {4}at |node:internal|Node\.js v/)
  expect([code, shown]).toEqual([expected, shown])
}

describe('a mistake with a running gate', () => {
  test.each(someOf(MISTAKES, 5).filter(({ words: [word = ''] }) => !isGoneCommand(word)))('$name', async (mistake) => {
    answered(await run(gate.folder, mistake.words, mistake.input, { env: mistake.env ?? {} }), mistake)
  })
})

describe('a mistake without a running gate', () => {
  const WITHOUT_GATE: readonly (Mistake & { readonly folder: string; readonly yaml?: string })[] = [
    {
      name: 'no gate and no configuration',
      folder: 'empty',
      words: ['tools'],
      says: ['no gate is running here', 'sluice init', 'sluice demo'],
      code: 69,
    },
    {
      name: 'a key beside another data folder',
      folder: 'empty',
      words: ['keys', 'create', 'agent', 'x'],
      says: ['there is no data folder yet', 'empty/.sluice', '--new-folder'],
      code: 1,
    },
    {
      name: 'a configuration with a wrong key',
      folder: 'wrong',
      yaml: 'polcy: {}\n',
      words: ['up'],
      says: ['polcy (line 1)', 'did you mean `policy`?'],
      code: 1,
    },
    {
      name: 'a command while no gate runs',
      folder: 'stopped',
      yaml: 'listen: { port: 0 }\n',
      words: ['tools'],
      says: ['no gate is running here; start it with', 'sluice up'],
      code: 69,
    },
    {
      name: 'a configuration that is no YAML',
      folder: 'yaml',
      yaml: 'listen: [\n',
      words: ['up', '--trust'],
      says: ['config.invalid', 'line'],
      code: 1,
    },
    {
      name: 'a database that does not answer',
      folder: 'database',
      yaml: 'store: { postgres: "postgres://u:hunter2@127.0.0.1:1/db" }\nlisten: { port: 0 }\n',
      words: ['up', '--trust'],
      says: [
        'the database of this gate cannot be reached',
        'postgres://127.0.0.1:1/db',
        'check that the database is running',
      ],
      code: 1,
    },
    {
      name: 'the address of a database in a variable that is not set',
      folder: 'variable',
      yaml: 'store: { postgres: "env:NO_SUCH_VARIABLE" }\nlisten: { port: 0 }\n',
      words: ['up', '--trust'],
      says: ['the variable or file that `store.postgres` refers to is missing or empty'],
      code: 1,
    },
    {
      name: 'an address beyond this machine without keys',
      folder: 'open',
      yaml: 'listen: { host: 0.0.0.0, port: 0 }\n',
      words: ['up', '--trust'],
      says: ['auth.not_configured'],
      code: 1,
    },
  ]
  test.each(someOf(WITHOUT_GATE, 2))('$name', async ({ folder, yaml, ...mistake }) => {
    answered(await run(folderOf(folder, yaml), mistake.words), mistake)
  })

  test('`sluice service install` does not replace the unit of another gate', async () => {
    const env = { HOME: folderOf('service-home') }
    const [one, two] = [folderOf('service-one', '{}\n'), folderOf('service-two', '{}\n')]
    const install = (folder: string) => run(folder, ['service', 'install'], undefined, { env })
    answered(await install(one), { says: ['wrote ', 'service-one'], code: 0 })
    answered(await install(one), { says: ['wrote '], code: 0 })
    answered(await install(two), { says: ['starts another gate', 'service uninstall'], code: 64 })
    answered(await run(two, ['service', 'uninstall'], undefined, { env }), { says: ['removed '], code: 0 })
    answered(await install(two), { says: ['wrote ', 'service-two'], code: 0 })
  })

  test('a command in a folder that was removed says so', async () => {
    const folder = folderOf('removed')
    const words = ['-c', 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, LAUNCHER, 'tools']
    const { status, stderr } = spawnSync('/bin/sh', words, { cwd: folder, encoding: 'utf8' })
    expect([status, stderr]).toEqual([64, 'the current folder does not exist any more; change to another folder\n'])
  })

  test('`sluice mcp` without a configuration names the file that is missing, and with --url the address', async () => {
    const ask = async (...words: string[]) => {
      const ran = await run(folderOf('mcp-empty'), [...words, 'mcp'], '{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
      expect(ran.err).toContain('[gate.absent]')
      return (JSON.parse(ran.out) as { error: { message: string } }).error.message
    }
    expect(await ask()).toMatch(/there is no \S+mcp-empty\/sluice\.yaml; name yours with --config FILE/)
    expect(await ask('--url', 'http://127.0.0.1:1')).toContain('no gate responds at http://127.0.0.1:1')
  })

  test('`sluice mcp` answers the client with why its gate did not start', async () => {
    const folder = folderOf('mcp', 'servers:\n  mail:\n    comand: x\n')
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
    const ran = await run(folder, ['mcp'], `${JSON.stringify(initialize)}\n`)
    const { error } = JSON.parse(ran.out) as { error: { message: string } }
    expect(error.message).toContain('the gate did not start')
    expect(error.message).toContain('servers.mail.comand (line 3)')
    expect(ran.err).toContain('did you mean `command`?')
  })

  test('a tool server whose command is missing is named by doctor, with what to do', async () => {
    const folder = folderOf('doctor', 'servers:\n  mail:\n    command: no-such-command-anywhere\n')
    trustConfig(folder)
    answered(await run(folder, ['doctor']), {
      says: ['server mail', 'no-such-command-anywhere', 'servers.mail'],
      code: 1,
    })
  })

  test.skipIf(process.getuid?.() === 0)('a data folder without permission', async () => {
    const folder = folderOf('locked', 'listen: { port: 0 }\n')
    mkdirSync(join(folder, '.sluice'), { mode: 0o700 })
    chmodSync(join(folder, '.sluice'), 0o500)
    answered(await run(folder, ['up', '--trust']), {
      says: ['data.unusable', 'give the user that runs the gate write access'],
      code: 1,
    })
  })

  test('a data folder that is a file', async () => {
    const folder = folderOf('file', 'listen: { port: 0 }\n')
    writeFileSync(join(folder, '.sluice'), '')
    answered(await run(folder, ['up', '--trust']), {
      says: ['the data folder cannot be used', '`data:` or `--data`'],
      code: 1,
    })
  })
})
