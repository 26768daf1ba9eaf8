import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../../test/read-config.ts'
import { APPROVER, openTestGate, pendingOf, type GateRig, approveShown } from '../../../../test/helpers/with-gate.ts'

const SCRIPT = resolve(import.meta.dirname, '../../../../test/tool-servers/files.ts')
const POLICY = `
rules:
  - { id: files-run, effect: allow, match: { tool: [files__read, files__write, files__read_many] }, says: the sandbox judges }
`

/** `work` is allowed, `outside` is not; links lead from one to the other in every way a link can. */
function makeDisk(folder: string): void {
  for (const name of ['work/sub', 'outside']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'work/a.txt'), 'A')
  writeFileSync(join(folder, 'work/.env'), 'KEY=1')
  writeFileSync(join(folder, 'outside/secret.txt'), 'S')
  const links = {
    'work/to-file': '../outside/secret.txt',
    'work/to-folder': '../outside',
    'work/to-nothing': '../outside/new.txt',
    'work/sub/chain': '../to-folder',
    'work/absolute': join(folder, 'outside'),
    'work/loop': 'loop',
    'work/within': 'sub',
    'outside/back': '../work',
  }
  for (const [path, to] of Object.entries(links)) symlinkSync(to, join(folder, path))
}

type Options = { sandbox?: object | null; tools?: object; policy?: string; config?: object }

async function withFiles(use: (rig: GateRig) => Promise<void>, options: Options = {}): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-files-')))
  makeDisk(folder)
  const sandbox = options.sandbox === undefined ? { roots: ['./work'], local: true } : options.sandbox
  const effects = { read: { effects: ['read'] }, write: { effects: ['write'] }, move: { effects: ['write'] } }
  const files = {
    command: process.execPath,
    args: [SCRIPT],
    cwd: './work',
    tools: { ...effects, read_many: { effects: ['read'] }, ...options.tools },
    ...(sandbox === null ? {} : { sandbox }),
  }
  const rig = await openTestGate(folder, {
    policy: options.policy ?? POLICY,
    config: { servers: { files }, ...options.config },
  })
  try {
    await use(rig)
  } finally {
    await rig.opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const outsideOf = (folder: string) => {
  const names = readdirSync(join(folder, 'outside')).sort()
  return { names, secret: readFileSync(join(folder, 'outside/secret.txt'), 'utf8') }
}

describe('a sandboxed file server', () => {
  test('reads and writes inside, also files and folders that do not exist yet, also through links that stay inside', async () => {
    await withFiles(async ({ call, folder }) => {
      expect(await call('files__read', { path: 'a.txt' })).toMatchObject({ status: 'executed' })
      expect(await call('files__read', { path: join(folder, 'work/a.txt') })).toMatchObject({ status: 'executed' })
      expect(await call('files__read', { path: 'sub/../a.txt' })).toMatchObject({ status: 'executed' })
      expect(await call('files__write', { path: 'new/deep/b.txt', content: 'B' })).toMatchObject({ status: 'executed' })
      expect(await call('files__write', { path: 'within/c.txt', content: 'C' })).toMatchObject({ status: 'executed' })
      expect(readFileSync(join(folder, 'work/sub/c.txt'), 'utf8')).toBe('C')
    })
  })

  test('rejects every path that leads outside', async () => {
    await withFiles(async ({ call, folder }) => {
      const before = outsideOf(folder)
      const paths = [
        'to-file',
        'to-folder/secret.txt',
        'to-folder/new.txt',
        'to-nothing',
        'sub/chain/secret.txt',
        'absolute/x',
        '../outside/secret.txt',
        'sub/../../outside/x',
        'missing/../../outside/x',
        'to-folder/../outside/x',
        'within/../../outside/x',
        'to-folder/back/../outside/x',
        join(folder, 'outside/secret.txt'),
        '/etc/passwd',
        '~/x',
        '~root/x',
        `file://${join(folder, 'outside/secret.txt')}`,
        'file://other/x',
        '%2e%2e/outside/x',
        '..%2foutside/x',
        '..\\outside\\x',
        '//other/share',
        'C:\\x',
        'a\0.txt',
        '．．/outside/x',
        ' ../outside/x',
        '$HOME/x',
        '.../x',
        '.. /outside/x',
      ]
      for (const path of paths) {
        const outcome = await call('files__write', { path, content: 'X' })
        expect([path, outcome]).toMatchObject([path, { status: 'refused', problem: { code: 'call.blocked' } }])
        expect(JSON.stringify(outcome)).toContain('sandbox.')
      }
      expect(outsideOf(folder)).toEqual(before)
    })
  })

  test('rejects paths outside under any other key, nested, in lists or as parts of a text', async () => {
    await withFiles(async ({ call, folder }) => {
      const outside = join(folder, 'outside/secret.txt')
      const bad: Record<string, unknown>[] = [
        { target: '///etc/passwd' },
        { logfile: outside },
        { target: `${outside}\n` },
        { target: `\n${outside}` },
        { target: `/${'./'.repeat(3000)}etc/passwd` },
        { target: `/etc/${'x'.repeat(5000)}` },
        { target: '~root' },
        { target: '~root/.bashrc' },
        { target: 'to-file' },
        { target: 'to-folder/new.txt' },
        { target: 'to-nothing' },
        { target: 'sub/chain' },
        { target: 'a.txt,to-file' },
        { target: 'a.txt to-file' },
        { target: `a.txt,${outside}` },
        { target: `a.txt;${outside}` },
        { target: `a.txt:${outside}` },
        { target: `a.txt\nto-file` },
        { target: `out=${outside}` },
        { path: `a.txt,to-file` },
        { paths: ['a.txt', 'to-file'] },
        { options: { deep: [{ target: outside }] } },
        { options: JSON.stringify({ target: outside }) },
        { options: JSON.stringify({ target: 'to-file' }) },
        { command: `cat ${outside}` },
        { uri: `file://localhost${outside}` },
        { uri: `file://${outside.replace('outside', '%6futside')}` },
        { uri: `sqlite:///${outside}` },
        { '../outside/x': 'content' },
        { [outside]: 'content' },
        { content: outside },
        { content: `${outside}\n/etc/passwd\n` },
        { target: 'a.txt ../../outside/x' },
        { content: 'to-folder/secret.txt' },
        { json: JSON.stringify({ target: outside }) },
        { target: '..%2foutside' },
        { target: '／etc／passwd' },
        { target: '/proc/self/cwd/a.txt' },
        { target: '*/../../outside/*' },
      ]
      for (const args of bad) {
        const outcome = await call('files__read', { path: 'a.txt', ...args })
        expect([args, outcome]).toMatchObject([args, { status: 'refused', problem: { code: 'call.blocked' } }])
        expect(JSON.stringify(outcome)).toContain('sandbox.')
      }
    })
  })

  test('treats text as text: prose, code, pictures, addresses and numbers are not paths', async () => {
    await withFiles(async ({ call }) => {
      const good: Record<string, unknown>[] = [
        { content: 'Either/or: see /etc/passwd and ../x, ~/notes; 5 km/h. Use TCP/IP.' },
        { content: '#!/usr/bin/env node\nimport x from "../x"\n// done\n' },
        { content: `/9j/4AAQSkZJRgABAQ${'Aa0b'.repeat(5000)}` },
        { content: `<p>a</p>\n<a href="/etc/passwd">b</a>` },
        { content: 'to-file is a link' },
        { note: 'text/plain', url: 'https://example.org/../x' },
        {
          encoding: 'utf-8',
          version: '1.2.3',
          date: '2026/11/15',
          ratio: '1/2',
          repo: 'owner/name',
        },
        { pattern: '**/*.ts', exclude: ['node_modules/**'] },
        { head: 10, flag: true, none: null },
      ]
      for (const args of good) {
        const outcome = await call('files__write', { path: 'sub/new.txt', content: 'x', ...args })
        expect([args, outcome]).toMatchObject([args, { status: 'executed' }])
      }
    })
  })

  test('asks about a path outside in a sentence under another key', async () => {
    await withFiles(async ({ call, folder }) => {
      const purpose = `we need this because of what is in ${join(folder, 'outside')} since last week`
      const held = pendingOf(await call('files__read', { path: 'a.txt', purpose }))
      expect(held.evidence).toMatchObject([{}, { rule: 'sandbox.outside', effect: 'ask', strength: 'strong' }])
      const harmless = 'we need this because of what was said and/or done at 5 km /h since last week'
      expect(await call('files__read', { path: 'a.txt', purpose: harmless })).toMatchObject({ status: 'executed' })
    })
  })

  test('holds a call whose path cannot be resolved', async () => {
    await withFiles(async ({ call }) => {
      const held = pendingOf(await call('files__read', { path: 'loop' }))
      expect(held.evidence).toMatchObject([{ rule: 'files-run' }, { rule: 'sandbox.unknown', strength: 'strong' }])
    })
  })

  test('judges every file argument of a call, and those the operator declared', async () => {
    const tools = { read_many: { effects: ['read'], files: ['/reads/*/at'] } }
    await withFiles(
      async ({ call }) => {
        const both = await call('files__move', { source: 'a.txt', destination: '../outside/a.txt' })
        expect(both).toMatchObject({ status: 'refused', problem: { about: { rules: 'sandbox.outside' } } })
        expect(JSON.stringify(both)).toContain('`/destination` leads outside')
        const reads = [{ at: 'a.txt' }, { at: 'to-file' }]
        expect(await call('files__read_many', { reads })).toMatchObject({ status: 'refused' })
        const label = '/not/a/file/here'
        expect(await call('files__read_many', { reads: [{ at: 'a.txt' }], label })).toMatchObject({
          status: 'executed',
        })
      },
      { tools },
    )
  })

  test('requires a strong approval for a file with secrets, and accesses it after the approval', async () => {
    await withFiles(async ({ gate, call, outcome }) => {
      const held = pendingOf(await call('files__read', { path: '.env' }))
      const packet = await gate.approvals.read(APPROVER, held.approval_id)
      expect(packet).toMatchObject({ value: { strength: 'strong' } })
      expect(held.evidence).toMatchObject([
        {},
        { rule: 'sandbox.sensitive', says: '`/path` names an environment file' },
      ])
      await approveShown(gate, APPROVER, held.approval_id)
      expect(await outcome(held.call_id)).toMatchObject({
        status: 'executed',
        result: { content: [{ text: 'KEY=1' }] },
      })
    })
  })

  test('checks again after an approval: a folder that became a link meanwhile is outside', async () => {
    const policy = `rules: [{ id: ask, effect: ask, match: { tool: files__write }, says: ask }]`
    await withFiles(
      async ({ gate, call, outcome, folder }) => {
        const held = pendingOf(await call('files__write', { path: 'later/x.txt', content: 'X' }))
        symlinkSync('../outside', join(folder, 'work/later'))
        await approveShown(gate, APPROVER, held.approval_id)
        expect(await outcome(held.call_id)).toMatchObject({
          status: 'refused',
          problem: { code: 'approval.stale', about: { because: 'sandbox.outside' } },
        })
        expect(outsideOf(folder).names).toEqual(['back', 'secret.txt'])
      },
      { policy },
    )
  })

  test('on another machine is held for every file argument, and for nothing else', async () => {
    await withFiles(
      async ({ call }) => {
        expect(pendingOf(await call('files__read', { path: 'a.txt' })).evidence).toMatchObject([
          {},
          { rule: 'sandbox.remote' },
        ])
        expect(await call('files__read_many', { reads: [] })).toMatchObject({ status: 'executed' })
      },
      { sandbox: { roots: ['./work'] } },
    )
  })

  test('resolves relative paths from the base that the operator sets', async () => {
    await withFiles(
      async ({ call }) => expect(await call('files__read', { path: 'a.txt' })).toMatchObject({ status: 'refused' }),
      { sandbox: { roots: ['./work'], base: './outside', local: true } },
    )
  })

  test('without a sandbox may read elsewhere, but requires a strong approval for a file with secrets', async () => {
    await withFiles(
      async ({ call, folder }) => {
        writeFileSync(join(folder, 'outside/plain.txt'), 'P')
        expect(await call('files__read', { path: 'to-folder/plain.txt' })).toMatchObject({ status: 'executed' })
        const secrets = ['.env', 'sub/../.env', '~/.ssh/id_rsa', '~/.aws/credentials', '/root/.kube/config', '.npmrc']
        for (const path of [
          ...secrets,
          '.netrc',
          '.git-credentials',
          'server.pem',
          'a.key',
          '.bash_history',
          'to-file',
        ])
          for (const args of [{ path }, { path: 'a.txt', target: path }, { path: 'a.txt', command: `cat ${path}` }]) {
            if (/^(?:server|a)\./.test(path) && !('path' in args && args.path === path)) continue
            const outcome = await call('files__read', args)
            expect([args, outcome]).toMatchObject([args, { status: 'pending' }])
            expect(JSON.stringify(outcome)).toContain('sandbox.sensitive')
          }
        const content = 'put your keys into .env and never into id_rsa'
        expect(await call('files__write', { path: 'b.txt', content })).toMatchObject({ status: 'executed' })
        for (const args of [{ query: 'how to set up .env files in docker' }, { title: 'password' }, { key: 'secrets' }])
          expect([args, await call('files__read', { path: 'a.txt', ...args })]).toMatchObject([
            args,
            { status: 'executed' },
          ])
      },
      { sandbox: null },
    )
  })
})

test('a configuration with declared files but no sandbox is rejected, because nothing would enforce them', () => {
  const files = { command: 'x', tools: { read: { files: ['/path'] } } }
  expect(readConfig({ servers: { files } })).toMatchObject({
    problem: { about: { paths: 'servers.files.tools.read.files: `files` needs a `sandbox` of the server' } },
  })
})
