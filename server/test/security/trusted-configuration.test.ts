import { spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { makeDataFolder, whyNotAsked } from '../../src/main/data-folder.ts'
import { loadConfig } from '../../src/main/load-config.ts'
import { isTrusted, keepTrusting, trust } from '../../src/main/trust/check-trust.ts'
import { inRealFolder } from '../../src/adapters/files/whole-file.ts'
import { readTrustRecord, trustFolder } from '../../src/main/trust/trust-records.ts'
import { LAUNCHER } from '../built/built.ts'
import { hasKey, isGoneCommand } from '../this-build.ts'
import { run, runGate, trustConfig } from '../helpers/with-running-gate.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-trust-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** As a repository brings it: every program that the configuration can name leaves a file. */
function cloned(name: string, more: object = {}, place = 'sluice.yaml'): string {
  const folder = join(root, name)
  mkdirSync(dirname(join(folder, place)), { recursive: true })
  const touch = (file: string) => [
    process.execPath,
    '-e',
    `require('fs').writeFileSync(${JSON.stringify(join(folder, file))}, '')`,
  ]
  const [command, ...args] = touch('started-server')
  const settings = {
    listen: { port: 0 },
    servers: { evil: { command, args } },
    store: { seal: { command: touch('started-seal') } },
    ...more,
  }
  writeFileSync(join(folder, place), JSON.stringify(settings))
  return folder
}

const started = (folder: string) => ['started-server', 'started-seal'].filter((file) => existsSync(join(folder, file)))

/** A terminal in which somebody types an answer to the question. */
function inTerminal(folder: string, words: readonly string[], answer: string) {
  const line = [process.execPath, LAUNCHER, ...words].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    if (out.includes('[y/N]') && !child.stdin.writableEnded) child.stdin.end(`${answer}\n`)
  })
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return { said: () => out, ended }
}

describe('in a folder with a configuration that nobody has trusted', () => {
  const isHere = ([word = '']: readonly string[]) => !isGoneCommand(word)
  const NO_GATE = [
    ['tools'],
    ['approvals'],
    ['calls'],
    ['keys', 'list'],
    ['call', 'evil__x'],
    ['agent', 'threads'],
    ['policy', 'show'],
  ].filter(isHere)

  test.each(NO_GATE)('`sluice %s` starts nothing and says how a gate is started', async (...words) => {
    const folder = cloned(`no-gate-${words.join('-')}`)
    const ran = await run(
      folder,
      words.filter((word) => word !== undefined),
    )
    expect([ran.code, ran.err]).toEqual([
      69,
      expect.stringMatching(/no gate is running here; start it with `\S+ up` \[gate.absent\]/),
    ])
    expect(started(folder)).toEqual([])
  })

  const NO_ANSWER = [
    ['doctor'],
    ['mcp'],
    ['up'],
    ['demo'],
    ['keys', 'create', 'agent', 'x', '--new-folder'],
    ['audit', 'verify'],
    ['backup', 'x'],
    ['store', 'move', 'postgres://127.0.0.1:1/x'],
  ].filter(isHere)
  test.each(NO_ANSWER)('`sluice %s` starts nothing', async (...words) => {
    const folder = cloned(`other-${words[0]}-${words[1] ?? ''}`)
    cloned(`other-${words[0]}-${words[1] ?? ''}`, {}, 'sluice-demo/sluice.yaml')
    const ran = await run(
      folder,
      words.filter((word) => word !== undefined),
      words[0] === 'mcp' ? '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' : undefined,
    )
    if (words[0] === 'up' || words[0] === 'demo') {
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('[config.not_trusted]') as string })
      expect(ran.err).toContain('started-server')
    }
    if (words[0] === 'mcp') expect(ran.out).toContain('you have not trusted this configuration')
    expect(started(folder)).toEqual([])
  })

  test('nothing is written to a data folder that it names', async () => {
    const data = join(root, 'documents')
    mkdirSync(data)
    writeFileSync(join(data, 'letter.txt'), '')
    const folder = cloned('names-folder', { data })
    await run(folder, ['tools'])
    await run(folder, ['up'])
    expect(existsSync(join(data, 'gate.lock'))).toBe(false)
    expect(existsSync(join(data, '.gitignore'))).toBe(false)
  })
})

describe('what is trusted', () => {
  test('a person is shown every program once, and is asked again only about what has changed', async () => {
    const folder = cloned('asked', { store: {} })
    const no = inTerminal(folder, ['up'], 'n')
    expect(await no.ended).toBe(1)
    expect(no.said()).toContain('started-server')
    expect(no.said()).toContain('do you trust this configuration? [y/N]')
    expect(started(folder)).toEqual([])
    expect((await run(folder, ['up'])).err).toContain('[config.not_trusted]')

    const yes = inTerminal(folder, ['up'], 'y')
    await vi.waitFor(() => expect(yes.said()).toContain('sluice is up'), 60_000)
    expect((await run(folder, ['down'])).code).toBe(0)
    await yes.ended

    const mcp = await run(folder, ['mcp'], '{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    expect(JSON.parse(mcp.out)).toMatchObject({ id: 1, result: {} })
    expect((await run(folder, ['down'])).code).toBe(0)

    appendFileSync(join(folder, 'sluice.yaml'), '\n')
    const pulled = inTerminal(folder, ['up'], 'n')
    expect(await pulled.ended).toBe(1)
    expect(pulled.said()).toContain('is not as you trusted it; changed: sluice.yaml')
  })

  test('it covers the configuration, what it includes and the scripts in its folder, and not their data', () => {
    const folder = join(root, 'covered')
    mkdirSync(join(folder, 'packs'), { recursive: true })
    const shell = { commands: { run: { description: 'x', run: ['./tool.sh'] } } }
    const api = { openapi: './api.yaml', base_url: 'http://127.0.0.1:1' }
    const ofGuests = [
      { key: 'packs', file: 'packs/one.yaml', settings: { packs: './packs' } },
      { key: 'servers.*.commands', file: 'tool.sh', servers: { shell } },
      { key: 'servers.*.openapi', file: 'api.yaml', servers: { api } },
    ].filter(({ key }) => hasKey(key))
    const files = ['policy.yaml', 'server.mjs', 'hook.js', ...ofGuests.map(({ file }) => file)]
    for (const file of files) writeFileSync(join(folder, file), file === 'policy.yaml' ? 'preset: careful\n' : '')
    for (const file of ['memory.json', 'data.sqlite', 'link.yaml']) writeFileSync(join(folder, file), '')
    writeFileSync(
      join(folder, 'sluice.yaml'),
      JSON.stringify({
        policy: './policy.yaml',
        ...Object.assign({}, ...ofGuests.map(({ settings }) => settings)),
        servers: {
          own: {
            command: 'node',
            args: ['--import=./hook.js', './server.mjs', './data.sqlite'],
            env: { MEMORY: join(folder, 'memory.json') },
          },
          ...Object.assign({}, ...ofGuests.map(({ servers }) => servers)),
        },
      }),
    )
    const settings = () => {
      const loaded = loadConfig(join(folder, 'sluice.yaml'), true)
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem))
      return loaded.value
    }
    expect(isTrusted(settings())).toBe(false)
    expect(trust(settings())).toMatchObject({ ok: true })
    for (const file of ['memory.json', 'data.sqlite', 'link.yaml']) appendFileSync(join(folder, file), 'x')
    expect(isTrusted(settings())).toBe(true)
    for (const file of ['sluice.yaml', ...files]) {
      trust(settings())
      appendFileSync(join(folder, file), '\n')
      expect([file, isTrusted(settings())]).toEqual([file, false])
    }
    trust(settings())
    const keep = keepTrusting(settings())
    appendFileSync(join(folder, 'policy.yaml'), '\n')
    keep(settings())
    expect(isTrusted(settings())).toBe(true)
    appendFileSync(join(folder, 'server.mjs'), '\n')
    keep(settings())
    expect(isTrusted(settings())).toBe(false)
  })

  test.skipIf(process.platform === 'win32')('a record that somebody else could have written counts for nothing', () => {
    const folder = cloned('record', { store: {} })
    trustConfig(folder)
    const settings = loadConfig(join(folder, 'sluice.yaml'), true)
    if (!settings.ok) throw new Error('no settings')
    const read = () => readTrustRecord(inRealFolder(settings.value.file))
    expect(read()).toBeDefined()
    expect(statSync(trustFolder()).mode & 0o777).toBe(0o700)
    chmodSync(trustFolder(), 0o777)
    expect(read()).toBeUndefined()
    chmodSync(trustFolder(), 0o700)
    for (const file of readdirSync(trustFolder())) {
      expect(statSync(join(trustFolder(), file)).mode & 0o777).toBe(0o600)
      chmodSync(join(trustFolder(), file), 0o666)
    }
    expect(read()).toBeUndefined()
  })
})

describe('a data folder', () => {
  test('belongs to its configuration: another one that names it is refused, also with --trust', async () => {
    const owner = cloned('owner', { servers: {}, store: {} })
    const gate = await runGate(owner)
    const agent = await gate.key('agent', 'a')
    gate.process.kill('SIGTERM')
    await new Promise((done) => gate.process.once('exit', done))
    const other = cloned('other', { data: join(owner, '.sluice'), policy: { preset: 'observe' } })
    for (const words of [
      ['up', '--trust'],
      ['keys', 'create', 'admin', 'mine'],
      ['keys', 'reset'],
    ]) {
      const ran = await run(other, words)
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('[data.other_config]')])
      expect(ran.err).toContain(join(owner, 'sluice.yaml'))
    }
    expect(started(other)).toEqual([])
    rmSync(join(owner, '.sluice', 'gate.configuration'))
    const linked = cloned('linked', { servers: {}, store: {} })
    symlinkSync(join(owner, '.sluice'), join(linked, '.sluice'))
    const ran = await run(linked, ['up', '--trust'])
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('it is a link to')])
    for (const words of [['approvals'], ['call', 's__read', '{}'], ['mcp']]) {
      const asked = await run(linked, words)
      expect([asked.code, asked.err]).toEqual([64, expect.stringContaining('it is a link to')])
    }
    expect(agent).toMatch(/^sluice_agent_/)
  })

  test('moves with its configuration, and stays when that is renamed', async () => {
    const before = cloned('before', { servers: {}, store: {} })
    const first = await runGate(before)
    first.process.kill('SIGTERM')
    await new Promise((done) => first.process.once('exit', done))
    const after = join(root, 'after')
    renameSync(before, after)
    renameSync(join(after, 'sluice.yaml'), join(after, 'gate.yaml'))
    const second = await runGate(after, ['--config', 'gate.yaml', 'up', '--trust'])
    await second.stop()
  })

  test.skipIf(process.platform === 'win32')(
    'that others could read or write becomes private, unless somebody else left something in it',
    () => {
      for (const mode of [0o755, 0o775, 0o777]) {
        const folder = join(root, `mode-${mode.toString(8)}`)
        mkdirSync(join(folder, 'keys'), { recursive: true })
        chmodSync(folder, mode)
        expect(makeDataFolder(folder)).toMatchObject({ ok: true })
        expect(statSync(folder).mode & 0o777).toBe(0o700)
      }
      const planted = join(root, 'planted')
      mkdirSync(planted)
      chmodSync(planted, 0o777)
      symlinkSync('/elsewhere/admin.key', join(planted, 'admin.key'))
      expect(makeDataFolder(planted)).toMatchObject({ ok: false, problem: { code: 'data.unusable' } })
    },
  )

  test.skipIf(process.getuid?.() !== 0)('of somebody else is refused', () => {
    const theirs = join(root, 'theirs')
    mkdirSync(theirs, { mode: 0o700 })
    chownSync(theirs, 12_345, 12_345)
    expect(makeDataFolder(theirs)).toMatchObject({
      problem: { about: { why: expect.stringContaining('belongs to user 12345') as string } },
    })
    // An administrator looks after it; nobody else sends anything to a gate there.
    expect(whyNotAsked(theirs)).toBeUndefined()
    const asked = vi.spyOn(process, 'getuid').mockReturnValue(1000)
    expect(whyNotAsked(theirs)).toContain('belongs to user 12345')
    asked.mockRestore()
    const mixed = join(root, 'mixed')
    mkdirSync(mixed)
    writeFileSync(join(mixed, 'gate.sock'), '')
    chownSync(join(mixed, 'gate.sock'), 12_345, 12_345)
    chmodSync(mixed, 0o777)
    expect(makeDataFolder(mixed)).toMatchObject({
      problem: { about: { why: expect.stringContaining('gate.sock') as string } },
    })
  })
})
