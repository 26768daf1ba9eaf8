import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'
import { until } from '../../../test/helpers/with-gate.ts'
import { withToolServers, type Rig } from '../../../test/tool-servers/with-tool-servers.ts'
import { serverConfigs } from '../../adapters/upstream/server-config.ts'
import { SERVER_KINDS } from '../../main/server-kinds.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = (code: string, more: object = {}) => ({
  description: 'a script',
  run: ['node', '-e', code.replaceAll('{', '{{').replaceAll('}', '}}'), '--', '{words}'],
  params: { words: { type: 'array', items: { minLength: 0 }, required: false } },
  ...more,
})

const COMMANDS = {
  argv: script('console.log(JSON.stringify(process.argv.slice(1)))', { output: 'json' }),
  object: script('console.log(JSON.stringify({ a: 1 }))', { output: 'json' }),
  no_json: script('console.log("hello")', { output: 'json' }),
  env: script('console.log(JSON.stringify(process.env))', { output: 'json' }),
  cwd: script('console.log(process.cwd())'),
  stdin: {
    description: 'what it reads',
    run: ['node', '-e', 'process.stdin.pipe(process.stdout)'],
    stdin: 'dear {name}',
    params: { name: {} },
  },
  fails: script('console.log("half"); console.error("no such thing: " + process.env.SECRET); process.exit(3)'),
  three_is_fine: script('console.log("three"); process.exit(3)', { exit_ok: [0, 3] }),
  dies: script('process.kill(process.pid, "SIGKILL")'),
  floods: script('setInterval(() => process.stdout.write("x".repeat(65536)), 1)'),
  absent: { description: 'no such program', run: ['./no-such-program'] },
  hangs: script(
    `const { spawn } = require("node:child_process")
     const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
     require("node:fs").writeFileSync(process.argv[1], process.pid + " " + child.pid)
     process.on("SIGTERM", () => {})
     setInterval(() => {}, 1000)`,
    { timeout_ms: 1_000 },
  ),
}

function beside(settings: object, use: (rig: Rig) => Promise<void>): Promise<void> {
  const config = readConfig({ servers: { own: { commands: COMMANDS, output_limit: 100_000, ...settings } } })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  const servers = serverConfigs(SERVER_KINDS, config.value.servers, folder, { SECRET: 'hunter2-hunter2' })
  if (!servers.ok) throw new Error(JSON.stringify(servers.problem))
  return withToolServers(servers.value, { grace_ms: 100 }, use)
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('declared commands', () => {
  test('answer with what the program prints', () =>
    beside({}, async ({ call, text }) => {
      const words = ['$(id)', 'a b', '*', '', '-x', '`']
      expect(await text('own', 'argv', { words })).toBe(`${JSON.stringify(words)}\n`)
      expect(await call('own', 'object')).toMatchObject({ is: 'answered', result: { structuredContent: { a: 1 } } })
      expect(await text('own', 'cwd')).toBe(`${folder}\n`)
      expect(await text('own', 'stdin', { name: 'ana' })).toBe('dear ana')
      expect(await text('own', 'three_is_fine')).toBe('three\n')
    }))

  test('are listed with a schema made of their parameters', () =>
    beside({}, async ({ servers, listings }) => {
      await servers.ready('own')
      expect(listings[0]?.definitions.find(({ name }) => name === 'stdin')).toEqual({
        name: 'stdin',
        description: 'what it reads',
        inputSchema: {
          type: 'object',
          properties: { name: { type: 'string', minLength: 1 } },
          required: ['name'],
          additionalProperties: false,
        },
      })
    }))

  test('fail with the exit code and the end of stderr, without configured values', () =>
    beside({ env: { SECRET: 'env:SECRET' } }, async ({ call }) => {
      expect(await call('own', 'fails')).toEqual({
        is: 'answered',
        result: { content: [{ type: 'text', text: 'exit code 3\nhalf\nno such thing: [secret]' }], isError: true },
      })
      expect(await call('own', 'no_json')).toMatchObject({ is: 'answered', result: { isError: true } })
    }))

  test('get no undeclared variable of the gate', () =>
    beside({ env: { OWN: 'given-to-it' } }, async ({ text }) => {
      process.env['SLUICE_TEST_SECRET'] = 'leaked'
      const env = JSON.parse(await text('own', 'env')) as Record<string, string>
      delete process.env['SLUICE_TEST_SECRET']
      expect(env).toMatchObject({ OWN: '[secret]', SLUICE_IDEMPOTENCY_KEY: 'key-1', SLUICE_TRACE_ID: 'trace-1' })
      expect(env).not.toHaveProperty('SLUICE_TEST_SECRET')
    }))

  test('that cannot be started, or whose arguments are rejected or too long, did not run', () =>
    beside({}, async ({ call }) => {
      expect(await call('own', 'absent')).toMatchObject({ is: 'not_sent', problem: { code: 'tool.unavailable' } })
      expect(await call('own', 'argv', { words: ['a\0b'] })).toMatchObject({
        is: 'not_sent',
        problem: { code: 'call.args_invalid' },
      })
      expect(await call('own', 'argv', { words: ['x'.repeat(3_000_000)] })).toMatchObject({ is: 'not_sent' })
    }))

  test('that die or print endlessly are lost', () =>
    beside({}, async ({ call }) => {
      expect(await call('own', 'dies')).toMatchObject({
        is: 'lost',
        problem: { code: 'tool.broke_off', about: { how: 'signal SIGKILL' } },
      })
      expect(await call('own', 'floods')).toMatchObject({ is: 'lost', problem: { code: 'tool.too_large' } })
    }))

  test('that hang are ended with everything they started: after the timeout, when the caller gives up, and with the gate', async () => {
    const pids = async (file: string) => {
      await until(() => existsSync(file) && /^\d+ \d+$/.test(readFileSync(file, 'utf8')))
      return readFileSync(file, 'utf8').split(' ').map(Number)
    }
    const [late, given_up, closed] = ['late', 'given-up', 'closed'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    let last: Promise<unknown> | undefined
    await beside({}, async ({ call }) => {
      const giving = new AbortController()
      const first = call('own', 'hangs', { words: [late] })
      const second = call('own', 'hangs', { words: [given_up] }, giving.signal)
      await pids(given_up)
      giving.abort()
      expect(await second).toMatchObject({ is: 'lost', problem: { about: { why: 'aborted' } } })
      expect(await first).toMatchObject({ is: 'lost', problem: { about: { why: 'timeout', timeout_ms: '1000' } } })
      last = call('own', 'hangs', { words: [closed] })
      await pids(closed)
    })
    expect(await last).toMatchObject({ is: 'lost' })
    for (const file of [late, given_up, closed]) for (const pid of await pids(file)) await until(() => !isAlive(pid))
  })
})
