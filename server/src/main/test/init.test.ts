import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clientFiles } from '../init/client-files.ts'
import { init, parts } from './init-here.suite.ts'
import { readJsonc } from '../../adapters/files/jsonc.ts'
import { run as command } from '../../../test/helpers/with-running-gate.ts'
import { hasKey } from '../../../test/this-build.ts'
import { loadConfig } from '../load-config.ts'
import { afterInit, CONTINUE, GOOSE } from './yaml-clients.suite.ts'
import type { InitReport, InitOptions } from '../init/init-report.ts'

let root = ''
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sluice-init-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const home = () => join(root, 'home')
const project = () => join(root, 'project')
const config = () => join(project(), 'sluice.yaml')
const read = (file: string) => readFileSync(file, 'utf8')
function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
/** Written if this build has hooks. */
const hookFiles = (...files: readonly string[]) => (parts.hooks === undefined ? [] : files)
const wish = (more: Partial<InitOptions> = {}): InitOptions => ({
  from: [],
  write: false,
  hooks: true,
  undo: false,
  dry_run: false,
  ...more,
})
const run = (more: Partial<InitOptions> = {}) => {
  mkdirSync(project(), { recursive: true })
  return init({ config: config() }, wish(more), { home: home(), cwd: project(), platform: 'linux', env: {} })
}
function done(more: Partial<InitOptions> = {}): InitReport {
  const report = run(more)
  if (!report.ok) throw new Error(JSON.stringify(report.problem))
  return report.value
}

const CURSOR = `{
  // mine
  "mcpServers": {
    "My_Server": { "command": "serve", "args": ["-y", "thing"], "env": { "API_TOKEN": "tok_123456789abc", "MODE": "fast" }, },
    "remote": { "url": "https://mcp.example.com/mcp", "headers": { "Authorization": "Bearer abcdefgh12345678" } },
    "off": { "command": "x", "disabled": true },
    "leaky": { "command": "x", "args": ["--api-key=sk-1234567890"] }
  },
  "other": [1, /* keep */ 2]
}
`
const cursor = () => write(join(home(), '.cursor/mcp.json'), CURSOR)

describe('sluice init', () => {
  test.runIf(hasKey('servers.*.sandbox'))(
    'proposes a sandbox for file servers from their start folders, and for no other server',
    () => {
      const servers = {
        npx: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/data/a', '~/b'] },
        binary: { command: '/opt/mcp-filesystem', args: ['--root=/data/c'] },
        container: { command: 'docker', args: ['run', '-i', 'mcp/filesystem', '/projects'] },
        rootless: { command: 'npx', args: ['@modelcontextprotocol/server-filesystem'] },
        other: { command: 'npx', args: ['some-server', '/data/a'] },
      }
      write(join(home(), '.cursor/mcp.json'), JSON.stringify({ mcpServers: servers }))
      const report = done()
      const loaded = loadConfig(config(), true)
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem))
      const taken: Readonly<Record<string, { readonly command?: unknown; readonly sandbox?: unknown }>> =
        loaded.value.config.servers
      const b = join(home(), 'b')
      expect(taken['npx']?.sandbox).toEqual({ roots: ['/data/a', b], base: '/data/a', local: true })
      expect(taken['binary']?.sandbox).toMatchObject({ roots: ['/data/c'] })
      for (const name of ['container', 'rootless', 'other']) expect(taken[name]?.sandbox).toBeUndefined()
      expect(JSON.stringify(report.clients)).toContain('restricted to /data/a')
    },
  )

  test('says of a secret that it is copied, or moved with --write, and only after that was done', async () => {
    cursor()
    mkdirSync(project())
    const said = async (...words: string[]) =>
      (await command(project(), ['init', ...words, '--config', config()], '', { env: { HOME: home() } })).out
    expect(await said('--dry-run')).toMatch(/ would be copied to \S+secrets/)
    expect(await said('--dry-run', '--write')).toMatch(/ would be moved to \S+secrets/)
    expect(await said()).toMatch(/ was copied to \S+secrets/)
  })

  test('imports the servers of a client; secrets are moved to separate files, the rest stays as it is', () => {
    cursor()
    const report = done()
    expect(report.clients[0]?.servers).toMatchObject([
      { as: 'my-server' },
      { as: 'remote' },
      { name: 'off' },
      { name: 'leaky' },
    ])
    const text = read(config())
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/\.sluice\/sluice\.schema\.json\n/)
    expect(JSON.stringify([text, report])).not.toMatch(/tok_123|abcdefgh|sk-1234/)
    const secret = join(project(), '.sluice/secrets/my-server.API_TOKEN')
    expect(read(secret)).toBe('tok_123456789abc\n')
    expect(statSync(secret).mode & 0o777).toBe(0o600)
    expect(statSync(join(project(), '.sluice')).mode & 0o777).toBe(0o700)
    const loaded = loadConfig(config(), true)
    expect(loaded).toMatchObject({
      ok: true,
      value: {
        config: {
          servers: {
            'my-server': {
              command: 'serve',
              env: { API_TOKEN: 'file:.sluice/secrets/my-server.API_TOKEN', MODE: 'fast' },
            },
            remote: {
              url: 'https://mcp.example.com/mcp',
              headers: { Authorization: 'file:.sluice/secrets/remote.Authorization' },
            },
          },
        },
      },
    })
    expect(read(join(home(), '.cursor/mcp.json'))).toBe(CURSOR)
  })

  test('adds the gate to the client, leaves everything else unchanged, and undo restores it byte for byte', () => {
    const file = cursor()
    const { changed } = done({ write: true })
    expect(changed.map((each) => each.file)).toEqual([file, ...hookFiles(join(home(), '.cursor/hooks.json'))])
    const text = read(file)
    expect(text).toContain('// mine')
    expect(text).toContain('"other": [1, /* keep */ 2]')
    const { mcpServers } = readJsonc(text) as { mcpServers: Record<string, { args: string[] }> }
    expect(Object.keys(mcpServers)).toEqual(['off', 'leaky', 'sluice'])
    expect(mcpServers['sluice']?.args.slice(1)).toEqual(['mcp', '--config', config(), '--agent', 'cursor'])
    expect(run({ undo: true })).toMatchObject({ ok: true })
    expect(read(file)).toBe(CURSOR)
    expect(existsSync(join(home(), '.cursor/hooks.json'))).toBe(false)
    expect(run({ undo: true })).toMatchObject({ ok: false, problem: { code: 'init.nothing_to_undo' } })
  })

  test('undo finds the backups after `data` was set to another folder', () => {
    const file = cursor()
    done({ write: true })
    const other = join(home(), 'state')
    writeFileSync(config(), read(config()).replace('data: ./.sluice', `data: ${other}`))
    expect(run({ undo: true })).toMatchObject({ ok: true })
    expect(read(file)).toBe(CURSOR)
    const folder = `${join(other, 'init')}, ${join(project(), '.sluice/init')}`
    expect(run({ undo: true })).toMatchObject({ problem: { code: 'init.nothing_to_undo', about: { folder } } })
  })

  test('undoes nothing if one of the files was changed since', () => {
    const file = cursor()
    const other = write(
      join(home(), '.codeium/windsurf/mcp_config.json'),
      '{"mcpServers":{"a":{"serverUrl":"https://a.example/mcp"}}}',
    )
    done({ write: true })
    const mine = read(other)
    writeFileSync(file, '{"mcpServers":{}}')
    expect(run({ undo: true })).toMatchObject({
      ok: false,
      problem: { code: 'init.changed_since', about: { files: file } },
    })
    expect([read(file), read(other)]).toEqual(['{"mcpServers":{}}', mine])
  })

  test('a dry run writes nothing', () => {
    const file = cursor()
    expect(done({ write: true, dry_run: true }).changed).toContainEqual({ file, backup: '' })
    expect(existsSync(join(home(), '.cursor/hooks.json'))).toBe(false)
    expect([existsSync(config()), existsSync(join(project(), '.sluice')), read(file)]).toEqual([false, false, CURSOR])
  })

  test('a second run finds nothing new, and an existing configuration is extended with its comments kept', () => {
    cursor()
    write(config(), '# mine\ndata: ./.sluice # here\nservers:\n  my-server: { command: other } # first\n')
    expect(done()).toMatchObject({
      config_is: 'extended',
      clients: [{ servers: [{ as: 'my-server-2' }, { as: 'remote' }, {}, {}] }],
    })
    const text = read(config())
    for (const kept of ['# mine', '# here', '# first', 'command: other']) expect(text).toContain(kept)
    expect(done()).toMatchObject({
      config_is: 'unchanged',
      clients: [{ servers: [{ as: 'my-server-2' }, { as: 'remote' }, {}, {}] }],
    })
    expect(read(config())).toBe(text)
  })

  test('does not change a configuration with errors', () => {
    cursor()
    write(config(), 'lisen: {}\n')
    expect(run()).toMatchObject({ ok: false, problem: { code: 'config.invalid' } })
    expect(read(config())).toBe('lisen: {}\n')
  })

  test('knows the files of the usual clients, and imports a server that two of them have once, unless its credential differs', () => {
    const plain = { command: 'serve', args: ['a'] }
    const json = (key: string, servers: object) => JSON.stringify({ [key]: servers })
    write(join(home(), '.config/Claude/claude_desktop_config.json'), json('mcpServers', { one: plain }))
    write(join(home(), '.claude.json'), JSON.stringify({ projects: { [project()]: { mcpServers: { one: plain } } } }))
    write(join(project(), '.mcp.json'), json('mcpServers', { two: { ...plain, env: { KEY: '1' } } }))
    write(join(project(), '.cursor/mcp.json'), json('mcpServers', { two: { ...plain, env: { KEY: '2' } } }))
    write(
      join(project(), '.vscode/mcp.json'),
      json('servers', {
        three: { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: '${input:tok-en}' } },
      }),
    )
    write(
      join(home(), '.config/zed/settings.json'),
      json('context_servers', { 'a b': { command: { path: 'zed-serve', args: [] } } }),
    )
    write(join(home(), '.gemini/settings.json'), json('mcpServers', { four: { httpUrl: 'https://y.example/mcp' } }))
    write(join(home(), '.codex/config.toml'), '[mcp_servers.five]\ncommand = "serve-five"\n')
    const { clients } = done()
    expect(clients.map(({ client, servers }) => [client, servers[0]?.as])).toEqual([
      ['claude-desktop', 'one'],
      ['claude-code', 'one'],
      ['zed', 'a-b'],
      ['gemini', 'four'],
      ['codex', 'five'],
      ['claude-code', 'two'],
      ['cursor', 'two-2'],
      ['vscode', 'three'],
    ])
    expect(read(config())).toContain('Authorization: env:tok_en')
  })

  test('changes two places of one file at once, follows links and keeps file modes', () => {
    const real = write(
      join(root, 'dotfiles/claude.json'),
      JSON.stringify({
        mcpServers: { a: { command: 'a' } },
        projects: { [project()]: { mcpServers: { b: { command: 'b' } } } },
      }),
    )
    mkdirSync(home())
    symlinkSync(real, join(home(), '.claude.json'))
    const before = read(real)
    done({ write: true })
    const text = read(real)
    expect(text.match(/"--agent"/g)).toHaveLength(2)
    expect(done().clients.every(({ servers }) => servers.every(({ note }) => note === 'it already is the gate'))).toBe(
      true,
    )
    done({ undo: true })
    expect(read(real)).toBe(before)
  })

  test('does not change files that it cannot read, and says so', () => {
    const file = write(join(home(), '.cursor/mcp.json'), '{ "mcpServers": ')
    expect(done({ write: true })).toMatchObject({
      notes: [`${file} is not valid JSON and was not changed`],
      changed: hookFiles(join(home(), '.cursor/hooks.json')).map((changed) => ({ file: changed })),
    })
    expect(run({ from: ['nobody'] })).toMatchObject({ ok: false, problem: { code: 'init.unknown_client' } })
  })
})

describe('what init reads', () => {
  test('reads what opencode, Goose and Continue write, and puts the gate where it can be written', () => {
    const opencode = `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "notes": { "type": "local", "command": ["bun", "x", "notes-mcp"], "enabled": true, "environment": { "NOTES_KEY": "abc123456789" } },
    "away": { "type": "remote", "url": "https://mcp.example.com", "headers": { "Authorization": "{env:AWAY}" } },
    "off": { "type": "local", "command": ["x"], "enabled": false }, // later
  }
}
`
    const file = write(join(home(), '.config/opencode/opencode.json'), opencode)
    const goose = write(join(home(), '.config/goose/config.yaml'), GOOSE)
    const other = write(join(home(), '.continue/config.yaml'), CONTINUE)
    const after = afterInit(config())
    const report = done({ write: true })
    const servers = report.clients.map(({ client, servers: found }) => [client, found.map(({ as }) => as)])
    expect(servers).toEqual([
      ['opencode', ['notes', 'away', undefined]],
      ['goose', ['github', undefined, undefined]],
      ['continue', ['playwright']],
    ])
    expect(loadConfig(config(), true)).toMatchObject({
      value: {
        config: {
          servers: {
            notes: {
              command: 'bun',
              args: ['x', 'notes-mcp'],
              env: { NOTES_KEY: 'file:.sluice/secrets/notes.NOTES_KEY' },
            },
            away: { url: 'https://mcp.example.com', headers: { Authorization: 'env:AWAY' } },
            github: { command: 'npx', args: ['-y', 'gh-mcp'] },
          },
        },
      },
    })
    expect(report.changed.map((each) => each.file)).toEqual([
      file,
      goose,
      other,
      ...hookFiles(join(home(), '.config/opencode/plugin/sluice.js')),
    ])
    expect(read(goose)).toBe(after.goose)
    expect(read(other)).toBe(after.other)
    const { mcp } = readJsonc(read(file)) as { mcp: Record<string, { type: string; command: string[] }> }
    expect(Object.keys(mcp)).toEqual(['off', 'sluice'])
    expect(mcp['sluice']).toMatchObject({ type: 'local' })
    expect(mcp['sluice']?.command.slice(2)).toEqual(['mcp', '--config', config(), '--agent', 'opencode'])
    expect(run({ undo: true })).toMatchObject({ ok: true })
    expect(read(file)).toBe(opencode)
    expect(read(goose)).toBe(GOOSE)
    expect(read(other)).toBe(CONTINUE)
  })

  test.each([
    ['in one line', 'extensions: { github: { type: stdio, cmd: npx } }\n'],
    [
      'with a part that another one repeats',
      'extensions:\n  a: &a\n    cmd: npx\n  b:\n    <<: *a\n    type: builtin\nx: *a\n',
    ],
  ])('leaves YAML alone that is written %s, and says so', (_, text) => {
    const file = write(join(home(), '.config/goose/config.yaml'), text)
    const { changed, notes } = done({ write: true })
    expect(changed).toEqual([])
    expect(notes.join()).toContain(`${file} could not be changed without rewriting it`)
    expect(read(file)).toBe(text)
  })

  test('skips a server whose settings the client fills in, and says why', () => {
    write(
      join(project(), '.mcp.json'),
      JSON.stringify({
        mcpServers: {
          whole: { command: 'x', env: { TOKEN: '${GH_TOKEN}' } },
          part: { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${GH_TOKEN}' } },
          fallback: { command: 'x', args: ['${DIR:-/tmp}'] },
        },
      }),
    )
    const [found] = done().clients
    expect(found?.servers.map(({ name, as }) => [name, as])).toEqual([
      ['whole', 'whole'],
      ['part', undefined],
      ['fallback', undefined],
    ])
    expect(found?.servers[1]?.note).toContain('it uses `${…}` in a part of a value')
  })

  test.each([
    ['darwin', {}, 'Library/Application Support/Claude/claude_desktop_config.json'],
    ['win32', {}, 'AppData/Roaming/Claude/claude_desktop_config.json'],
    ['win32', {}, 'AppData/Roaming/Zed/settings.json'],
    ['win32', {}, 'AppData/Roaming/Block/goose/config/config.yaml'],
    ['darwin', {}, 'Library/Application Support/Code/User/mcp.json'],
    ['darwin', {}, '.config/zed/settings.json'],
    ['linux', { XDG_CONFIG_HOME: '/elsewhere' }, '/elsewhere/Claude/claude_desktop_config.json'],
    ['linux', { CODEX_HOME: '/codex' }, '/codex/config.toml'],
  ] as const)('on %s, with %j, looks at %s', (platform, env, file) => {
    const files = clientFiles({ home: '/home/me', cwd: '/work', platform, env }).map((each) => each.file)
    expect(files).toContain(file.startsWith('/') ? file : join('/home/me', file))
  })
})
