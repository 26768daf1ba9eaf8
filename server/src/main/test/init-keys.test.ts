import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { clientFiles, type ClientFile } from '../init/client-files.ts'
import { isImplied } from '../init/entry-keys.ts'
import { init } from './init-here.suite.ts'
import { tomlKey, tomlValue } from '../../adapters/files/toml.ts'
import { loadConfig } from '../load-config.ts'
import type { FoundServer, InitReport } from '../init/init-report.ts'
import { run as command } from '../../../test/helpers/with-running-gate.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-keys-'))
  mkdirSync(join(root, 'project'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const around = (base = root, env = {}) => ({
  home: join(base, 'home'),
  cwd: join(base, 'project'),
  platform: 'linux' as const,
  env,
})
const config = () => join(root, 'project/sluice.yaml')
function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** The first file of each client. */
const CLIENTS = [
  ...new Map(
    clientFiles(around(''))
      .toReversed()
      .map((each) => [each.client, each]),
  ).values(),
]
const placeOf = (client: string): ClientFile => {
  const found = clientFiles(around()).find((each) => each.client === client)
  if (found === undefined) throw new Error(client)
  return found
}

function textOf({ format, at }: ClientFile, entry: Readonly<Record<string, unknown>>): string {
  if (format === 'toml')
    return `[mcp_servers.one]\n${Object.entries(entry)
      .map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}\n`)
      .join('')}`
  const inner = at.reduceRight<unknown>((value, key) => ({ [key]: value }), { one: entry })
  return format === 'yaml' ? stringify(inner) : JSON.stringify(inner)
}

type Wish = { readonly env?: Record<string, string>; readonly write?: boolean }
/** What `init` plans for this entry of a client. */
function planned(
  client: string,
  entry: object,
  { env = {}, write: isWritten = false }: Wish = {},
): FoundServer & InitReport {
  const place = placeOf(client)
  write(place.file, textOf(place, { ...entry }))
  const wish = { from: [client], write: isWritten, hooks: false, undo: false, dry_run: false }
  const done = init({ config: config() }, wish, around(root, env))
  if (!done.ok) throw new Error(JSON.stringify(done.problem))
  const server = done.value.clients[0]?.servers.find(({ name }) => name === 'one')
  if (server === undefined) throw new Error(JSON.stringify(done.value))
  return { ...done.value, ...server }
}
function settings(): Record<string, unknown> {
  const { servers } = parse(readFileSync(config(), 'utf8')) as { servers: Record<string, Record<string, unknown>> }
  return servers['one'] ?? {}
}
const startsOf = (client: string): object =>
  client === 'opencode'
    ? { command: ['node', 'one.js'] }
    : client === 'goose'
      ? { cmd: 'node', args: ['one.js'] }
      : { command: 'node', args: ['one.js'] }

describe('no key of a client`s entry is lost without a word', () => {
  const CALLS = { command: 'node', args: ['one.js'] }
  const HTTP = { url: 'https://one.example/mcp' }

  test.each([
    // What is translated.
    ['gemini', { ...CALLS, timeout: 5000 }, { timeout_ms: 5000 }],
    ['qwen', { ...CALLS, timeout: 5000 }, { timeout_ms: 5000 }],
    ['claude-code', { ...CALLS, timeout: 5000 }, { timeout_ms: 5000 }],
    ['cline', { ...CALLS, timeout: 60 }, { timeout_ms: 60_000 }],
    ['codex', { ...CALLS, tool_timeout_sec: 90 }, { timeout_ms: 90_000 }],
    ['goose', { cmd: 'node', args: ['one.js'], timeout: 300 }, { timeout_ms: 300_000 }],
    ['gemini', { ...CALLS, cwd: '/work' }, { cwd: '/work' }],
    ['codex', { ...CALLS, env_vars: ['HOME_TOWN'] }, { env: { HOME_TOWN: 'env:HOME_TOWN' } }],
    ['codex', { ...HTTP, http_headers: { 'X-A': '1' } }, { headers: { 'X-A': '1' } }],
    ['codex', { ...HTTP, env_http_headers: { 'X-A': 'A_KEY' } }, { headers: { 'X-A': 'env:A_KEY' } }],
    ['gemini', { httpUrl: 'https://one.example/mcp', headers: { 'X-A': '1' } }, { headers: { 'X-A': '1' } }],
    ['cursor', { ...CALLS, env: { A: '${env:X}' } }, { env: { A: 'env:X' } }],
    ['vscode', { type: 'stdio', ...CALLS, env: { A: '${input:key}' } }, { env: { A: 'env:key' } }],
    ['copilot', { type: 'local', ...CALLS, tools: ['*'] }, { command: 'node' }],
    [
      'continue',
      { name: 'one', ...HTTP, type: 'streamable-http', requestOptions: { headers: { 'X-A': '1' } } },
      { headers: { 'X-A': '1' } },
    ],
    [
      'claude-desktop',
      { command: 'C:\\Program Files\\nodejs\\npx.cmd', args: ['-y', 'C:\\x y'] },
      { command: 'C:\\Program Files\\nodejs\\npx.cmd', args: ['-y', 'C:\\x y'] },
    ],
  ])('%s: %j is translated', (client, entry, wanted) => {
    const found = planned(client, entry)
    expect(found).toMatchObject({ as: 'one' })
    expect(found.not_supported).toBeUndefined()
    expect(settings()).toMatchObject(wanted)
    expect(loadConfig(config(), true).ok).toBe(true)
  })

  test.each([
    // What has no equivalent.
    [
      'gemini',
      { ...CALLS, trust: true, includeTools: ['a'], excludeTools: ['b'], description: 'x' },
      ['trust', 'includeTools', 'excludeTools', 'description'],
    ],
    ['gemini', { ...CALLS, timeout: 99_999_999 }, ['timeout']],
    ['claude-desktop', { ...CALLS, timeout: 5000 }, ['timeout']],
    [
      'codex',
      {
        ...CALLS,
        startup_timeout_sec: 20,
        enabled_tools: ['a'],
        disabled_tools: ['b'],
        required: true,
        tools: { a: { approval_mode: 'approve' } },
      },
      ['startup_timeout_sec', 'enabled_tools', 'disabled_tools', 'required', 'tools'],
    ],
    ['copilot', { ...CALLS, tools: ['a'] }, ['tools']],
    ['cline', { ...CALLS, autoApprove: ['a'], alwaysAllow: [] }, ['autoApprove', 'alwaysAllow']],
    ['vscode', { type: 'stdio', ...CALLS, dev: { watch: '*' } }, ['dev']],
    ['vscode', { type: 'stdio', ...CALLS, url: 'https://x.example' }, ['url']],
    ['cursor', { ...HTTP, auth: { CLIENT_ID: 'x' } }, ['auth']],
    ['claude-code', { type: 'http', ...HTTP, oauth: { clientId: 'x' } }, ['oauth']],
    ['opencode', { type: 'local', command: ['node'], timeout: 5000 }, ['timeout']],
    ['zed', { command: { path: 'node', args: [], timeout: 5 }, settings: { a: 1 } }, ['command.timeout', 'settings']],
    ['continue', { name: 'one', ...HTTP, requestOptions: { verifySsl: false } }, ['requestOptions.verifySsl']],
    ['goose', { cmd: 'node', name: 'Display', bundled: false }, ['name', 'bundled']],
    ['windsurf', { serverUrl: 'https://one.example/mcp', cwd: 5, type: 'ws' }, ['cwd', 'type']],
  ])('%s: of %j, these keys are named: %s', (client, entry, keys) => {
    const found = planned(client, entry)
    expect(found.as).toBe('one')
    expect(found.not_supported?.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
  })

  test.each([
    // What does not work without the client: it stays there.
    ['claude-code', { type: 'http', ...HTTP, headersHelper: '/bin/token' }, /headersHelper/],
    ['claude-code', { ...CALLS, env: { A: '${B:-x}' } }, /uses `\$\{…\}`/],
    ['claude-code', { command: '${TOOL:-node}' }, /uses `\$\{…\}`/],
    ['gemini', { ...HTTP, authProviderType: 'google_credentials' }, /authProviderType/],
    ['vscode', { type: 'stdio', ...CALLS, sandboxEnabled: true }, /sandbox/],
    [
      'vscode',
      { type: 'stdio', ...CALLS, envFile: '${workspaceFolder}/none.env' },
      /`envFile` cannot be read \(.*none\.env\)/,
    ],
    ['codex', { ...HTTP, bearer_token_env_var: 'ONE_TOKEN' }, /in the variable ONE_TOKEN/],
    ['goose', { cmd: 'node', env_keys: ['TOKEN'] }, /keyring/],
    ['cursor', { ...CALLS, disabled: true }, /disabled/],
    ['codex', { ...CALLS, enabled: false }, /disabled/],
  ])('%s: %j stays in the client, and why', (client, entry, why) => {
    const before = textOf(placeOf(client), entry)
    const found = planned(client, entry, { write: true })
    expect([found.as, found.note]).toEqual([undefined, expect.stringMatching(why)])
    expect(readFileSync(placeOf(client).file, 'utf8')).toBe(before)
  })

  test.each(['vscode', 'cursor'])(
    '%s: the variables of an `envFile` are taken, and its secrets kept in files',
    (client) => {
      write(
        join(root, 'project/my.env'),
        '# mine\nexport MODE="a b" # yes\nAPI_TOKEN=tok_123456789abc\nEMPTY=\nOWN=file\n',
      )
      const found = planned(client, { ...CALLS, envFile: '${workspaceFolder}/my.env', env: { OWN: 'entry' } })
      expect(found.note).toContain('are taken as they are now')
      expect(settings()['env']).toEqual({
        MODE: 'a b',
        API_TOKEN: 'file:.sluice/secrets/one.API_TOKEN',
        EMPTY: '',
        OWN: 'entry',
      })
      write(join(root, 'project/my.env'), 'MULTI="a\nb"\n')
      expect(planned(client, { ...CALLS, envFile: '${workspaceFolder}/my.env' }).as).toBeUndefined()
    },
  )

  test('codex: the token of `bearer_token_env_var` is kept in a file, as the header that it means', () => {
    const found = planned('codex', { ...HTTP, bearer_token_env_var: 'ONE_TOKEN' }, { env: { ONE_TOKEN: 'abc123' } })
    expect(found).toMatchObject({ as: 'one', note: 'the token in ONE_TOKEN is taken as it is now' })
    expect(settings()['headers']).toEqual({ Authorization: 'file:.sluice/secrets/one.Authorization' })
    expect(readFileSync(join(root, 'project/.sluice/secrets/one.Authorization'), 'utf8')).toBe('Bearer abc123\n')
  })

  test.each(CLIENTS.map(({ client }) => client))('LAW: every unknown key of an entry of %s is named', (client) => {
    const name = fc.string({ minLength: 1, maxLength: 20 }).filter((key) => key !== '__proto__')
    fc.assert(
      fc.property(fc.dictionary(name, fc.constantFrom(1, 'text', true, ['a'], { b: 'c' }), { maxKeys: 4 }), (more) => {
        rmSync(join(root, 'project/sluice.yaml'), { force: true })
        const known = startsOf(client)
        const unknown = Object.entries(more).filter(([key, value]) => !(key in known) && !isImplied(key, value, 'one'))
        const found = planned(client, { ...more, ...known })
        const said = new Set(found.not_supported?.map(({ key }) => key))
        for (const [key] of unknown) expect([key, found.as === undefined || said.has(key)]).toEqual([key, true])
      }),
      { numRuns: 10 },
    )
  })

  test('the plan names them before anything is written', async () => {
    const place = placeOf('gemini')
    write(place.file, textOf(place, { ...CALLS, trust: true, excludeTools: ['rm'] }))
    const words = ['init', '--write', '--dry-run', '--config', config()]
    const { out } = await command(join(root, 'project'), words, '', { env: { HOME: join(root, 'home') } })
    expect(out).toContain('not supported: `trust` (the policy of the gate decides what needs approval)')
    expect(out).toContain(
      'not supported: `excludeTools` (the gate offers all of its tools; a rule can block one: `{ effect: block, match: { tool: one__TOOL } }`)',
    )
  })

  test('what a user has set for the gate in a client stays, and removed comments are mentioned', () => {
    const place = placeOf('gemini')
    planned('gemini', CALLS, { write: true })
    const text = readFileSync(place.file, 'utf8').replace(
      '"sluice": {',
      '"two": { "command": "x" /* mine */ }, "sluice": { "trust": true,',
    )
    writeFileSync(place.file, text)
    const wish = { from: ['gemini'], write: true, hooks: false, undo: false, dry_run: false }
    const done = init({ config: config() }, wish, around())
    expect(done.ok ? done.value.notes : done).toContainEqual(expect.stringContaining('kept in the backup only'))
    const { mcpServers } = JSON.parse(readFileSync(place.file, 'utf8')) as { mcpServers: object }
    expect(mcpServers).toEqual({
      sluice: expect.objectContaining({ trust: true, command: process.execPath }) as object,
    })
  })

  test('the second of two equal servers with another time limit is told', () => {
    write(placeOf('qwen').file, textOf(placeOf('qwen'), { ...CALLS, timeout: 7000 }))
    planned('gemini', { ...CALLS, timeout: 5000 })
    const done = init(
      { config: config() },
      { from: ['qwen'], write: false, hooks: false, undo: false, dry_run: false },
      around(),
    )
    expect(done.ok ? done.value.clients[0]?.servers : done).toMatchObject([
      { as: 'one', not_supported: [{ key: 'timeout' }] },
    ])
  })
})
