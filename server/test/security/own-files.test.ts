import type { Client } from '@modelcontextprotocol/client'
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { connectClient } from '../helpers/with-mcp-gate.ts'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')
const SERVER = join(dirname(manifest), 'dist/index.js')

/** The usual filesystem server for the folder that also contains the gate's data, as `sluice init` finds it in a client's file. */
function configure(folder: string): void {
  mkdirSync(join(folder, 'notes/sub'), { recursive: true })
  writeFileSync(join(folder, 'notes/a.txt'), 'A')
  writeFileSync(join(folder, 'notes/.env'), 'KEY=1')
  writeFileSync(join(folder, 'rules.yaml'), 'preset: careful\nrules: []\n')
  symlinkSync('.sluice', join(folder, 'data-link'))
  symlinkSync('../.sluice/admin.key', join(folder, 'notes/key-link'))
  symlinkSync('..', join(folder, 'notes/up'))
  const files = { command: 'node', args: [SERVER, folder], cwd: folder, trusted: true }
  const config = { listen: { port: 0 }, mcp: { surface: 'passthrough' }, policy: './rules.yaml', servers: { files } }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
}

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let admin = ''
let client: Client
beforeAll(async () => {
  gate = await startGate(configure)
  agent = await gate.key('agent', 'a', 'ana')
  admin = readFileSync(join(gate.folder, '.sluice/admin.key'), 'utf8').trim()
  linkSync(join(gate.folder, '.sluice/admin.key'), join(gate.folder, 'notes/hard.txt'))
  client = await connectClient(gate, agent, { way: 'stdio', era: 'old', surface: 'passthrough' })
})
afterAll(async () => {
  await client.close()
  await gate.stop()
})

let threads = 0
const call = async (tool: string, args: object): Promise<Record<string, unknown>> => {
  threads += 1
  const asked = { tool: `files__${tool}`, args, thread: `t${threads}` }
  return (await gate.http('POST', '/v1/calls', agent, asked)).body
}
const rulesOf = (body: Record<string, unknown>) =>
  (body['about'] as Record<string, string> | undefined)?.['rules'] ?? ''

describe('an agent that reads files around the data folder', () => {
  /** Ways to spell the admin key, from the folder the gate was started in. */
  const spellings = (folder: string): readonly string[] => [
    join(folder, '.sluice/admin.key'),
    '.sluice/admin.key',
    './.sluice/admin.key',
    'notes/../.sluice/admin.key',
    'notes/up/.sluice/admin.key',
    'data-link/admin.key',
    'notes/key-link',
    'notes/hard.txt',
    `//${folder}/.sluice/admin.key`,
    `///${folder}/.sluice/admin.key`,
    `${folder}/./.sluice//admin.key`,
    `${folder}/${'./'.repeat(3000)}.sluice/admin.key`,
    pathToFileURL(join(folder, '.sluice/admin.key')).href,
    `file://localhost${folder}/.sluice/admin.key`,
    `file:${folder}/%2esluice/admin.key`,
    ` ${folder}/.sluice/admin.key\n`,
    `${folder}/.sluice/admin.key\0.txt`,
    '.SLUICE/admin.key',
    '.sluice./admin.key',
    '．sluice/admin.key',
    '%2esluice%2fadmin.key',
    '.sluice\\admin.key',
    '.slu*/admin.key',
    'file:.sluice/admin.key',
    '~+/.sluice/admin.key',
    '*/../.s?uice',
    `/proc/self/cwd/.sluice/admin.key`,
    `/proc/self/root${folder}/.sluice/admin.key`,
    '/dev/fd/3',
    '.sluice',
    '.sluice/',
    '%CD%/.sluice/admin.key',
    '\0.sluice/admin.key',
    Buffer.from('.sluice/admin.key').toString('base64'),
    Buffer.from('.sluice/admin.key').toString('hex'),
    `/proc/thread-self/root${folder}/.sluice/admin.key`,
    `jar:file:${folder}/.sluice!/admin.key`,
    '.[s]luice/admin.key',
    'notes/a.txt|.sluice/admin.key',
  ]

  test('is blocked over HTTP, however it spells the path of the key', async () => {
    for (const path of spellings(gate.folder)) {
      const body = await call('read_text_file', { path })
      expect([path, body]).toMatchObject([path, { code: 'call.blocked' }])
      expect(JSON.stringify(body)).not.toContain(admin)
    }
  })

  test('is blocked even if the preset only observes', async () => {
    const rules = join(gate.folder, 'rules.yaml')
    const reload = async (preset: string) => {
      writeFileSync(rules, `preset: ${preset}\nrules: []\n`)
      expect((await gate.http('POST', '/v1/policies/reload', admin)).status).toBe(200)
    }
    await reload('observe')
    try {
      expect((await call('read_text_file', { path: 'notes/a.txt' }))['status']).toBe('executed')
      for (const path of ['.sluice/admin.key', 'notes/key-link', 'data-link/keys/row-key.json'])
        expect([path, await call('read_text_file', { path })]).toMatchObject([path, { code: 'call.blocked' }])
      const replaced = await call('write_file', { path: 'rules.yaml', content: 'preset: observe' })
      expect(rulesOf(replaced)).toContain('sandbox.gate_settings')
    } finally {
      await reload('careful')
    }
  })

  test('is blocked at the MCP door and on the command line', async () => {
    for (const path of ['.sluice/admin.key', 'notes/key-link']) {
      const answer = await client.callTool({ name: 'files__read_text_file', arguments: { path } })
      expect(answer).toMatchObject({ isError: true })
      expect(JSON.stringify(answer)).toContain('sandbox.gate_data')
      const words = ['--json', '--key', agent, 'call', 'files__read_text_file', JSON.stringify({ path })]
      const { out } = await gate.cli(...words)
      expect(out).toContain('sandbox.gate_data')
      expect(out).not.toContain(admin)
    }
  })

  test('is stopped under other keys, in command lines, statements and strings of JSON', async () => {
    const hidden = [
      { command: "cat .sl''uice/admin.key" },
      { command: 'curl --unix-socket=.sluice/gate.sock http://x/' },
      { query: "SELECT readfile('.sluice/admin.key')" },
      { sql: "ATTACH '.sluice/ledger.sqlite' AS x" },
      { json: '{"a":"\\u002esluice/admin.key"}' },
      { content: '.sluice/admin.key' },
      { dsn: 'sqlite:.sluice/ledger.sqlite' },
      { targets: ['a', { '.sluice/keys': 1 }] },
    ]
    for (const args of hidden) {
      const body = JSON.stringify(await call('read_text_file', { path: 'notes/a.txt', ...args }))
      expect([args, body]).toEqual([args, expect.stringMatching(/sandbox\.gate_(?:data|mentioned)/)])
      expect(body).not.toContain('"executed"')
    }
  })

  test('is blocked in lists, in image arguments, and if only one of many paths is bad', async () => {
    const many = await call('read_multiple_files', { paths: ['notes/a.txt', '.sluice/admin.key'] })
    expect(rulesOf(many)).toContain('sandbox.gate_data')
    expect(rulesOf(await call('read_media_file', { path: '.sluice/admin.key' }))).toContain('sandbox.gate_data')
    expect(rulesOf(await call('list_directory', { path: '.sluice/keys' }))).toContain('sandbox.gate_data')
  })

  test('cannot write there, nor replace the configuration or the policy, nor move them away', async () => {
    const writes: [string, object, string][] = [
      ['write_file', { path: '.sluice/admin.key', content: 'x' }, 'sandbox.gate_data'],
      ['write_file', { path: 'sluice.yaml', content: 'x' }, 'sandbox.gate_settings'],
      ['write_file', { path: 'rules.yaml', content: 'preset: observe' }, 'sandbox.gate_settings'],
      [
        'edit_file',
        { path: './notes/../rules.yaml', edits: [{ oldText: 'careful', newText: 'observe' }] },
        'gate_settings',
      ],
      ['move_file', { source: 'notes/a.txt', destination: 'rules.yaml' }, 'sandbox.gate_settings'],
      ['move_file', { source: '.sluice', destination: 'notes/taken' }, 'sandbox.gate_data'],
      ['move_file', { source: gate.folder, destination: '/tmp/taken' }, 'sandbox.gate_around'],
    ]
    for (const [tool, args, rule] of writes) {
      const body = await call(tool, args)
      expect([tool, args, rulesOf(body)]).toEqual([tool, args, expect.stringContaining(rule)])
    }
    expect(await call('read_text_file', { path: 'rules.yaml' })).toMatchObject({ status: 'executed' })
  })

  test('needs approval before a tool walks a folder that contains the data folder', async () => {
    for (const path of ['.', gate.folder, '/']) {
      const body = await call('directory_tree', { path })
      expect([path, body]).toMatchObject([path, { status: 'pending' }])
      expect(JSON.stringify(body)).toContain('sandbox.gate_around')
    }
    expect(await call('search_files', { path: 'notes', pattern: '**/*.txt' })).toMatchObject({ status: 'executed' })
    expect(await call('list_directory', { path: '.' })).toMatchObject({ status: 'executed' })
  })

  test('reads and writes everything else as before, and files with secrets only after a strong approval', async () => {
    expect(await call('read_text_file', { path: 'notes/a.txt' })).toMatchObject({ status: 'executed' })
    const content = 'The key is in .sluice/admin.key and/or /etc/passwd. See ../README.'
    expect(await call('write_file', { path: 'notes/b.txt', content })).toMatchObject({ status: 'pending' })
    const held = await call('read_text_file', { path: 'notes/.env' })
    expect(held).toMatchObject({ status: 'pending' })
    expect(JSON.stringify(held)).toContain('sandbox.sensitive')
  })

  test('leaves a critical finding in the audit, without the arguments', async () => {
    const { body } = await gate.http('GET', '/v1/audit?from=1&limit=500', admin)
    const entries = body['items'] as { type: string; about?: Record<string, unknown> }[]
    const found = entries.filter(({ type }) => type === 'gate.touched')
    expect(found.length).toBeGreaterThan(20)
    expect(found[0]?.about).toMatchObject({ severity: 'critical', rules: 'sandbox.gate_data' })
    expect(JSON.stringify(found)).not.toContain('admin.key')
  })
})
