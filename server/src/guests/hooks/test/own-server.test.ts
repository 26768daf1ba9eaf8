import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOOK_CLIENTS, type HookClient } from '../../../kernel/contract/hook-clients.ts'
import { LAUNCHER } from '../../../adapters/files/own-programs.ts'
import { ownServer } from '../own-server.ts'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-own-server-')))
  mkdirSync(join(root, 'home'))
  mkdirSync(join(root, 'project/src'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const config = () => join(root, 'gate/sluice.yaml')
const entry = (client: string, more: object = {}): object => {
  const args = [LAUNCHER, 'mcp', '--config', config(), '--agent', client]
  return client === 'opencode'
    ? { type: 'local', command: [process.execPath, ...args], ...more }
    : { command: process.execPath, args, ...more }
}

/** Where each client has the entry that `init` writes, where a project brings its own, and how its tools are called. */
const CLIENTS: Readonly<Record<HookClient, { own: string; project: string; at: string; tool: string; evil: string }>> =
  {
    'claude-code': {
      own: '.claude.json',
      project: '.mcp.json',
      at: 'mcpServers',
      tool: 'mcp__sluice__search',
      evil: 'mcp__sluice_evil__run',
    },
    codex: {
      own: '.codex/config.toml',
      project: '.codex/config.toml',
      at: 'mcp_servers',
      tool: 'mcp__sluice__search',
      evil: 'mcp__sluice_evil__run',
    },
    copilot: {
      own: '.copilot/mcp-config.json',
      project: '.mcp.json',
      at: 'mcpServers',
      tool: 'sluice-search',
      evil: 'sluice-x-run',
    },
    cursor: {
      own: '.cursor/mcp.json',
      project: '.cursor/mcp.json',
      at: 'mcpServers',
      tool: 'mcp__search',
      evil: 'sluice_run',
    },
    gemini: {
      own: '.gemini/settings.json',
      project: '.gemini/settings.json',
      at: 'mcpServers',
      tool: 'mcp_sluice_search',
      evil: 'sluice_run',
    },
    opencode: {
      own: '.config/opencode/opencode.json',
      project: 'opencode.json',
      at: 'mcp',
      tool: 'sluice_search',
      evil: 'sluicex_run',
    },
    qwen: {
      own: '.qwen/settings.json',
      project: '.qwen/settings.json',
      at: 'mcpServers',
      tool: 'mcp__sluice__search',
      evil: 'mcp__sluice_evil__run',
    },
  }

function put(file: string, at: string, servers: Readonly<Record<string, object>>): void {
  mkdirSync(dirname(file), { recursive: true })
  const toml = Object.entries(servers).map(
    ([name, value]) =>
      `[mcp_servers.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}]\n${Object.entries(value)
        .map(([key, one]) => `${key} = ${JSON.stringify(one)}\n`)
        .join('')}`,
  )
  writeFileSync(file, file.endsWith('.toml') ? toml.join('\n') : JSON.stringify({ [at]: servers }))
}
const own = (client: HookClient) => join(root, 'home', CLIENTS[client].own)
const project = (client: HookClient) => join(root, 'project', CLIENTS[client].project)
const isOwn = (client: HookClient, tool = CLIENTS[client].tool, more: object = {}) =>
  ownServer(
    { config: config(), url: () => 'http://127.0.0.1:7420' },
    { home: join(root, 'home'), env: {} },
  )({
    client,
    tool,
    folders: [join(root, 'project/src')],
    ...more,
  })

describe.each(HOOK_CLIENTS)('%s', (client) => {
  const { at, tool, evil } = CLIENTS[client]
  const install = (servers: Readonly<Record<string, object>> = { sluice: entry(client) }) =>
    put(own(client), at, servers)

  test('tools of the entry that `init` writes are the gate`s, and no other names are', () => {
    expect(isOwn(client)).toBe(false)
    install()
    expect(isOwn(client)).toBe(true)
    if (client !== 'cursor') {
      // Without a server `sluice-x`, this is the tool `x-run` of `sluice`.
      for (const name of [
        client === 'copilot' ? 'sluicex-run' : evil,
        'run',
        'Bash',
        `x${tool}`,
        'sluice',
        'mcp__github__sluice__run',
        `MCP__SLUICE__RUN`,
      ])
        expect([name, isOwn(client, name)]).toEqual([name, false])
    }
    expect(isOwn(client, tool, { server: 'other' })).toBe(false)
    expect(isOwn(client, tool, { folders: [] })).toBe(false)
    expect(isOwn(client, tool, { folders: ['project'] })).toBe(false)
  })

  test('an entry that differs from it in anything is another server', () => {
    const changed: readonly object[] = [
      { command: '/bin/sh' },
      { command: 'node' },
      { command: join(root, 'node') },
      { env: { NODE_OPTIONS: '--require=/tmp/x.js' } },
      { environment: { A: '1' } },
      { cwd: '/tmp' },
      { envFile: '.env' },
      { url: 'http://127.0.0.1:7420/mcp' },
      { args: [] },
      { args: [join(root, 'sluice'), 'mcp', '--config', config()] },
      { args: ['--require', '/tmp/x.js', LAUNCHER, 'mcp', '--config', config()] },
      { args: [LAUNCHER, 'up', '--config', config()] },
      { args: [LAUNCHER, 'mcp', '--config', join(root, 'other/sluice.yaml')] },
      { args: [LAUNCHER, 'mcp', '--config', config(), '--config', join(root, 'other/sluice.yaml')] },
      { args: [LAUNCHER, 'mcp', '--config', config(), '--socket', '/tmp/x'] },
      { args: [LAUNCHER, 'mcp'] },
    ]
    for (const one of changed) {
      const listed =
        client === 'opencode' && 'args' in one ? { command: [process.execPath, ...(one.args as string[])] } : one
      install({ sluice: entry(client, listed) })
      expect([one, isOwn(client)]).toEqual([one, false])
    }
    install({ sluice: entry(client, { timeout: 300, trust: true }) })
    expect(isOwn(client)).toBe(true)
  })

  test('a server with a name that begins alike, or another definition in the project, makes it unknown', () => {
    for (const name of ['sluice__evil', 'sluice_evil', 'sluice-x', 'sluice.x', 'Sluice', 'SLUICE_x']) {
      install({ sluice: entry(client), [name]: { command: '/bin/sh' } })
      expect([name, isOwn(client)]).toEqual([name, false])
    }
    install({ sluice: entry(client), github: { command: '/bin/sh' } })
    // Cursor does not say whose tool it is.
    expect(isOwn(client)).toBe(client !== 'cursor')
    install()
    put(project(client), at, { sluice: { command: '/bin/sh' } })
    expect(isOwn(client)).toBe(false)
    put(project(client), at, { sluice: entry(client) })
    expect(isOwn(client)).toBe(true)
    rmSync(own(client))
    expect(isOwn(client)).toBe(true)
  })

  test('a file that cannot be read makes it unknown, and a changed one is read again', () => {
    const read = ownServer({ config: config(), url: () => '' }, { home: join(root, 'home'), env: {} })
    const asked = { client, tool, folders: [join(root, 'project')] }
    install()
    expect(read(asked)).toBe(true)
    install({ sluice: { command: '/bin/sh' } })
    expect(read(asked)).toBe(false)
    install()
    expect(read(asked)).toBe(true)
    mkdirSync(dirname(project(client)), { recursive: true })
    for (const text of [
      client === 'codex' ? 'mcp_servers = { sluice = { command = "sh" } }' : '{',
      '\0'.repeat(client === 'codex' ? 0 : 3),
    ]) {
      if (text === '') continue
      writeFileSync(project(client), text)
      expect([text, read(asked)]).toEqual([text, false])
    }
    rmSync(project(client))
    mkdirSync(project(client))
    expect(read(asked)).toBe(false)
  })
})

test.each([
  ['a dotted key', 'mcp_servers.sluice.command = "/bin/sh"'],
  ['a quoted table', '["mcp_servers".sluice]\ncommand = "/bin/sh"'],
  ['an escaped name', '["mcp\\u005fservers".sluice]\ncommand = "/bin/sh"'],
  ['an environment of its own', '[mcp_servers.sluice.env]\nNODE_OPTIONS = "-r x"'],
  ['a profile', '[profiles.x.mcp_servers.sluice]\ncommand = "/bin/sh"'],
  ['a literal string', "[mcp_servers.'sluice']\ncommand = '/bin/sh'"],
  ['spaces in its header', '[ mcp_servers . sluice ]\ncommand = "/bin/sh"'],
])('TOML with %s beside the entry is unknown', (_, more) => {
  put(own('codex'), 'mcp_servers', { sluice: entry('codex') })
  expect(isOwn('codex')).toBe(true)
  mkdirSync(dirname(project('codex')), { recursive: true })
  writeFileSync(project('codex'), `model = "x"\n\n${more}\n`)
  expect(isOwn('codex')).toBe(false)
})

test('a line that the reader of TOML would leave out makes the entry unknown', () => {
  put(own('codex'), 'mcp_servers', { sluice: entry('codex') })
  mkdirSync(dirname(project('codex')), { recursive: true })
  for (const line of ['env.NODE_OPTIONS = "-r x"', '"env" = { A = "1" }', "command = '/bin/sh'", 'args = [\n"x"]']) {
    put(project('codex'), 'mcp_servers', { sluice: entry('codex') })
    expect(isOwn('codex')).toBe(true)
    writeFileSync(project('codex'), `[mcp_servers.sluice]\n${line}\n`)
    expect([line, isOwn('codex')]).toEqual([line, false])
  }
})

test('projects in Claude Code`s own file, and extensions of Gemini and Qwen, count too', () => {
  const servers = { sluice: { command: '/bin/sh' } }
  put(own('claude-code'), 'mcpServers', { sluice: entry('claude-code') })
  writeFileSync(
    own('claude-code'),
    JSON.stringify({ mcpServers: { sluice: entry('claude-code') }, projects: { '/any': { mcpServers: servers } } }),
  )
  expect(isOwn('claude-code')).toBe(false)
  for (const client of ['gemini', 'qwen'] as const) {
    put(own(client), 'mcpServers', { sluice: entry(client) })
    expect(isOwn(client)).toBe(true)
    put(join(root, `home/.${client}/extensions/x/${client}-extension.json`), 'mcpServers', servers)
    expect(isOwn(client)).toBe(false)
  }
})

test('an address is the gate`s only at its own origin, and a link to its launcher is its launcher', () => {
  const at = (url: string) => put(own('gemini'), 'mcpServers', { sluice: { httpUrl: url } })
  const cases = {
    'http://127.0.0.1:7420/mcp': true,
    'http://127.0.0.1:7421/mcp': false,
    'http://127.0.0.1:7420.evil.example/mcp': false,
    'http://x@127.0.0.1:7420/other': false,
  }
  for (const [url, expected] of Object.entries(cases)) {
    at(url)
    expect([url, isOwn('gemini')]).toEqual([url, expected])
  }
  symlinkSync(LAUNCHER, join(root, 'sluice'))
  put(own('gemini'), 'mcpServers', {
    sluice: { command: process.execPath, args: [join(root, 'sluice'), 'mcp', '--config', config()] },
  })
  expect(isOwn('gemini')).toBe(true)
})
