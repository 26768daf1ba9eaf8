import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedHook, installHook } from '../../src/boot/installed-hook.ts'
import { programFiles } from '../../src/boot/protected-files.ts'
import { LAUNCHER } from '../../src/boot/local-gate.ts'
import { hookPlaces } from '../../src/boot/init/hook-files.ts'
import { clientFiles } from '../../src/boot/init/client-files.ts'
import { CLIENT_TOOLS, HOOK_CLIENTS, type HookClient } from '../../src/contract/hook-clients.ts'
import { AGENT, openTestGate, type GateRig } from '../gate/with-gate.ts'

/** Everything is allowed that is not blocked whatever the rules say. */
const POLICY = 'preset: observe'
let root = ''
let rig: GateRig
const work = () => join(root, 'work')

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-protected-')))
  mkdirSync(join(root, 'gate'))
  for (const folder of ['.cursor', '.vscode', '.claude/hooks', 'src/deep', 'plain'])
    mkdirSync(join(work(), folder), { recursive: true })
  for (const file of [
    '.mcp.json',
    '.cursor/mcp.json',
    '.vscode/mcp.json',
    '.claude/settings.json',
    '.claude/hooks/check.sh',
    'notes.md',
  ])
    writeFileSync(join(work(), file), '{}')
  symlinkSync('../../.claude', join(work(), 'src/deep/agent'))
  symlinkSync('.mcp.json', join(work(), 'servers'))
  symlinkSync(join(LAUNCHER, '..'), join(work(), 'programs'))
  symlinkSync('data', join(root, 'gate/store'))
  symlinkSync('plain/later.json', join(work(), 'dangling'))
  linkSync(join(work(), 'notes.md'), join(work(), 'second-name.md'))
  process.env['CLAUDE_CONFIG_DIR'] = join(root, 'elsewhere')
  mkdirSync(join(root, 'elsewhere'))
  writeFileSync(join(root, 'elsewhere/settings.json'), '{}')
  linkSync(join(root, 'elsewhere/settings.json'), join(work(), 'hard.json'))
  process.env['XDG_DATA_HOME'] = join(root, 'share')
  installHook(installedHook(join(root, 'gate/data')))
  for (const folder of ['.newclient', 'pages']) mkdirSync(join(work(), folder))
  symlinkSync('servers', join(work(), 'chain'))
  symlinkSync('../chain', join(work(), 'pages/chain'))
  symlinkSync('../.vscode', join(work(), 'src/editor'))
  symlinkSync('.gemini/settings.json', join(work(), 'not-yet'))
  symlinkSync('.junie', join(work(), 'folder-not-yet'))
  symlinkSync('/proc/self/cwd', join(work(), 'here'))
  linkSync(join(work(), '.mcp.json'), join(work(), 'hard-servers'))
  linkSync(join(work(), '.claude/hooks/check.sh'), join(work(), 'src/hard-hook.sh'))
  const config = { servers: Object.fromEntries(HOOK_CLIENTS.map((client) => [client, { client }])) }
  rig = await openTestGate(join(root, 'gate'), { config, policy: POLICY })
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(root, { recursive: true, force: true })
})

let sessions = 0
async function judged(tool: string, args: object, client: HookClient = 'claude-code'): Promise<string> {
  sessions += 1
  const use = { caller: AGENT, client, tool, args, thread: `s${sessions}` } as const
  const { decision, reason } = await rig.gate.judgements.judge(use as never, 0)
  return decision === 'block' ? `block: ${reason ?? ''}` : `${decision} ${JSON.stringify(args)}`
}
const writes = (file_path: string) => judged('Write', { file_path, content: 'x', cwd: work() })
const runs = (command: string, cwd = work()) => judged('Bash', { command, cwd })

const notBlocked = (said: readonly string[]) => said.filter((each) => !each.startsWith('block'))

/** Every file that decides what a client runs, of clients that `init` knows and of others. */
const DECIDING = [
  '.mcp.json',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
  '~/.copilot/mcp-config.json',
  '~/.claude.json',
  '~/.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks/check.sh',
  '~/.claude/plugins/x/hooks/hooks.json',
  '/etc/claude-code/managed-settings.json',
  '~/.codex/config.toml',
  '.codex/config.toml',
  '~/.codex/hooks.json',
  '~/.gemini/settings.json',
  '.gemini/settings.json',
  '~/.gemini/extensions/x/gemini-extension.json',
  '~/.qwen/settings.json',
  '~/.cursor/hooks.json',
  '.cursor/cli.json',
  '.github/hooks/x.json',
  'opencode.json',
  '.opencode/plugin/x.js',
  '~/.config/opencode/plugin/sluice.js',
  '~/.codeium/windsurf/mcp_config.json',
  '.roo/mcp.json',
  '.kiro/settings/mcp.json',
  '.junie/mcp/mcp.json',
  '.newclient/mcp.json',
  '.newclient/hooks.json',
  '~/.config/Code/User/mcp.json',
  '~/.config/zed/settings.json',
  '~/.config/goose/config.yaml',
  '.continue/mcpServers/x.yaml',
  '~/.config/systemd/user/sluice.service',
  '~/.config/systemd/user/sluice.service.d/override.conf',
  '~/Library/LaunchAgents/dev.sluice.gate.plist',
  '~/.local/share/sluice/hooks/0/sluice-hook.cjs',
  '~/.local/state/sluice/trusted/x.json',
] as const

const absolute = (path: string) => (path.startsWith('~') ? join(homedir(), path.slice(1)) : join(work(), path))

describe('a file that decides what a client runs', () => {
  test.each(DECIDING)('%s is not changed by a file tool or a command, in any spelling', async (path) => {
    const upper = path.toUpperCase()
    const name = path.split('/').at(-1) ?? ''
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.'
    const quoted = `${path.slice(0, -3)}"${path.slice(-3)}"`
    const said = [
      await writes(absolute(path)),
      await judged('Edit', { file_path: absolute(path), old_string: 'a', new_string: 'b', cwd: work() }),
      await writes(absolute(upper)),
      await runs(`echo x > ${path}`),
      await runs(`echo x > ${absolute(path)}`),
      await runs(`echo x > ${quoted}`),
      await runs(`cp plain/x ${path}`),
      await runs(`mv plain/${name} ${folder}`),
      await runs(`cp plain/${name} -t ${folder}`),
      await runs(`ln -sf /tmp/x ${path}`),
      await runs(`ln ${path} plain/second`),
      await runs(`sed -i s/a/b/ ${path}`),
      await runs(`tee ${path} < notes.md`),
      await runs(`dd if=notes.md of=${path}`),
      await runs(`bash -c 'rm ${path}'`),
      await runs(`python3 -c "open('${path}', 'w').write('x')"`),
      await runs(`cd ${folder} && echo x > ${name}`),
    ]
    expect(notBlocked(said)).toEqual([])
  })

  test('is not changed through links, hard links and other spellings', async () => {
    const said = await Promise.all([
      writes('src/deep/agent/settings.json'),
      writes(join(work(), 'src/deep/agent/hooks/new.sh')),
      writes('servers'),
      writes('./src/../servers'),
      writes(join(work(), 'hard.json')),
      writes(join(root, 'elsewhere/settings.json')),
      runs('echo x > servers'),
      runs('cd src && echo x > deep/agent/settings.json'),
      runs('echo x > settings.json', join(work(), '.claude')),
      runs('cd src/deep/agent; cp ../x settings.json'),
      runs('rm .claude/*'),
      runs('cp x .cl*/settings.json'),
      runs('cp x {.vscode,plain}/mcp.json'),
      runs("cp x .cursor/$'mcp.json'"),
      runs('git -C .cursor mv hooks.json mcp.json'),
      writes('.claude\u200b/settings.json'),
      writes('．mcp.json'),
    ])
    expect(notBlocked(said)).toEqual([])
  })

  test('is not replaced by moving, linking or removing its folder', async () => {
    const said = await Promise.all(
      ['.vscode', '.github', '.claude', '.cursor', 'src/../.vscode'].flatMap((folder) => [
        runs(`mv ${folder} plain/old`),
        runs(`mv plain/new ${folder}`),
        runs(`ln -s /tmp/new ${folder}`),
        runs(`cp -r plain/new ${folder}`),
        runs(`rm -r ${folder}`),
      ]),
    )
    expect(notBlocked(said)).toEqual([])
  })

  test('can be read, and other files can be changed', async () => {
    const said = await Promise.all([
      runs('cat .mcp.json .claude/settings.json'),
      judged('Read', { file_path: join(work(), '.mcp.json') }),
      writes('src/mcp.ts'),
      writes('src/settings.json'),
      writes(join(work(), 'notes.md')),
      writes('dangling'),
      runs('mkdir -p .vscode .github/workflows && echo x > .vscode/extensions.json'),
      runs('cp notes.md .github/CODEOWNERS'),
      runs('sed -i s/a/b/ *.json'),
      runs('mv notes.md src'),
      runs('mv src/x .'),
      runs('rm -r plain'),
    ])
    expect(said.filter((each) => !each.startsWith('allow'))).toEqual([])
  })
})

/** What each file tool of a client is called with to change this file. */
type FileTools = Readonly<Record<string, readonly ((path: string) => object)[]>>
const field = (name: string) => [(path: string) => ({ [name]: path, content: 'x', old_string: 'a', new_string: 'b' })]
const patches = (...names: readonly string[]) =>
  names.flatMap((name) => PATCHES.map((patch) => (path: string) => ({ [name]: patch(path) })))
const PATCHES: readonly ((path: string) => string)[] = [
  (path) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch`,
  (path) => `*** Begin Patch\n*** Add File: notes/x.md\n+x\n*** Add File: ${path}\n+x\n*** End Patch\n`,
  (path) => `*** Begin Patch\r\n  *** Delete File:   ${path}  \r\n*** End Patch`,
  (path) => `*** Begin Patch\n*** Update File: notes.md\n*** Move to: ${path}\n@@\n-a\n+b\n*** End Patch`,
  (path) => `--- a/notes.md\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`,
  (path) => `--- notes.md\t2026-01-01\n+++ ${path}\t2026-01-01 10:00:00\n@@ -1 +1 @@\n-a\n+b\n`,
  (path) => `diff --git a/notes.md b/${path}\nsimilarity index 100%\nrename from notes.md\nrename to ${path}\n`,
  (path) => `Index: ${path}\n===\n@@ -1 +1 @@\n-a\n+b\n`,
]
const FILE_TOOLS: Readonly<Record<HookClient, FileTools>> = {
  'claude-code': {
    Write: field('file_path'),
    Edit: field('file_path'),
    MultiEdit: [(file_path) => ({ file_path, edits: [{ old_string: 'a', new_string: 'b' }] })],
    NotebookEdit: field('notebook_path'),
  },
  codex: { apply_patch: patches('command') },
  copilot: {
    create: field('path'),
    edit: field('path'),
    str_replace_editor: [(path) => ({ command: 'create', path, file_text: 'x' })],
    apply_patch: patches('input'),
  },
  cursor: { Write: field('file_path'), Edit: field('file_path'), Delete: field('file_path') },
  gemini: { write_file: field('file_path'), replace: field('file_path') },
  opencode: {
    write: field('filePath'),
    edit: field('filePath'),
    multiedit: field('filePath'),
    patch: patches('patchText'),
  },
  qwen: {
    write_file: field('file_path'),
    edit: field('file_path'),
    replace: field('file_path'),
    notebook_edit: field('notebook_path'),
  },
}
/** It writes one file of the client's own, whose name is not an argument. */
const NAMES_NO_FILE = new Set(['save_memory'])

/** Ways to a protected file, relative to the folder that the client works in. */
const LINKS = {
  'a file': '.mcp.json',
  'a link': 'servers',
  'a chain of links': 'pages/chain',
  'a link to a folder': 'src/editor/mcp.json',
  'a link to a folder, below it': 'src/deep/agent/hooks/check.sh',
  'a link to a file that does not exist': 'not-yet',
  'a link to a folder that does not exist': 'folder-not-yet/mcp/mcp.json',
  'the folder above the target of a link': 'src/deep/agent/../.mcp.json',
  'the folder above, twice': 'src/editor/../.claude/settings.json',
  'a name in other letters': '.Cursor/MCP.json',
  'a second name on disk': 'hard-servers',
  'a second name on disk, in another folder': 'src/hard-hook.sh',
  'the folder of a process': '/proc/self/cwd/.mcp.json',
  'a link to the folder of a process': 'here/.vscode/mcp.json',
  'an open folder': '/proc/self/fd/3/mcp.json',
  'an open folder, by its short name': '/dev/fd/3/hooks.json',
} as const

describe.each(HOOK_CLIENTS)('the file tools of %s', (client) => {
  test('are all in this table', () => {
    const tools = CLIENT_TOOLS[client].write?.split(' ') ?? []
    expect(Object.keys(FILE_TOOLS[client]).toSorted()).toEqual(
      tools.filter((name) => !NAMES_NO_FILE.has(name)).toSorted(),
    )
  })

  test.each(Object.entries(LINKS))('do not change a protected file through %s', async (_, path) => {
    const said: string[] = []
    for (const [tool, ways] of Object.entries(FILE_TOOLS[client])) {
      const tried = path === LINKS['a file'] || path === LINKS['a link'] ? ways : ways.slice(0, 2)
      for (const args of tried) said.push(await judged(tool, { ...args(path), cwd: work() }, client))
      // A tool that the gate does not know, and an absolute path.
      const [first] = ways
      said.push(await judged(`new_${tool}`, { ...first?.(path), cwd: work() }, client))
      said.push(await judged(tool, first?.(path.startsWith('/') ? path : `${work()}/${path}`) ?? {}, client))
    }
    expect(notBlocked(said)).toEqual([])
  })

  test('change other files, also those that mention a protected one', async () => {
    const said: string[] = []
    for (const [tool, ways] of Object.entries(FILE_TOOLS[client])) {
      for (const args of ways) said.push(await judged(tool, { ...args('src/a.ts'), cwd: work() }, client))
    }
    const text = '*** Begin Patch\n*** Update File: notes.md\n@@\n-see .mcp.json\n+.claude/settings.json\n*** End Patch'
    const mention = FILE_TOOLS[client]['apply_patch'] === undefined ? [] : ['input', 'command']
    for (const name of mention) said.push(await judged('apply_patch', { [name]: text, cwd: work() }, client))
    expect(said.filter((each) => !each.startsWith('allow'))).toEqual([])
  })
})

describe("the gate's program", () => {
  test('is not changed: its code, the hook, its Node and the libraries it loads', async () => {
    const hook = installedHook(join(root, 'gate/data'))
    const library = programFiles().find((path) => path.endsWith('node_modules')) ?? ''
    const said = await Promise.all(
      [LAUNCHER, join(LAUNCHER, '../sluice-hook.cjs'), hook, process.execPath, join(library, 'zod/index.js')].flatMap(
        (path) => [
          writes(path),
          runs(`echo x > ${path}`),
          runs(`cp x ${path}`),
          runs(`cd ${join(path, '..')} && echo x > ${path.split('/').at(-1)}`),
          runs(`rm ${path}`),
          runs(`mv ${join(path, '..')} /tmp/x`),
          runs(`perl -pi -e 's/a/b/' ${path}`),
          runs(`chmod 777 ${path}`),
        ],
      ),
    )
    expect(notBlocked(said)).toEqual([])
    expect(await writes('programs/sluice-hook.cjs')).toMatch(/^block/)
    expect(await runs('cd programs && echo x > sluice-hook.cjs')).toMatch(/^block/)
    expect(await runs('mv programs/sluice plain')).toMatch(/^block/)
  })

  test('is run and read as before', async () => {
    const library = programFiles().find((path) => path.endsWith('node_modules')) ?? ''
    const said = await Promise.all([
      runs(`${process.execPath} script.js > out.txt`),
      runs(`node ${library}/vitest/vitest.mjs run`),
      runs(`cat ${library}/zod/package.json`),
      judged('Read', { file_path: LAUNCHER }),
    ])
    expect(said.filter((each) => !each.startsWith('allow'))).toEqual([])
  })

  test('is not moved away with the folder it is in, and neither is the data folder', async () => {
    const gate = join(root, 'gate')
    const around = await Promise.all([
      runs(`mv ${gate} /tmp/x`),
      runs(`mv ../gate /tmp/x`),
      runs('cd .. && mv gate x'),
      runs('mv data x', gate),
      runs('cat store/admin.key', gate),
      runs(`rm -r ${gate}`),
      runs(`mv ${join(LAUNCHER, '../..')} /tmp/x`),
    ])
    expect(notBlocked(around)).toEqual([])
  })
})

test('commands of the gate that change something are blocked while it observes, too', async () => {
  const said = [
    await runs('sluice keys create x --kind approver'),
    await runs(`bash -c 'cd /tmp; npx sluice approve auth_0123456789abcdef'`),
  ]
  expect(notBlocked(said)).toEqual([])
})

test('the lists of `init` and of the protection are one: every file that `init` changes is protected by its name', async () => {
  const around = { home: '/home/other', cwd: '/srv/project', platform: process.platform, env: {} }
  const files = [...clientFiles(around), ...hookPlaces(around)].map(({ file }) => file)
  for (const file of files) expect([file, await writes(file)]).toEqual([file, expect.stringMatching(/^block/)])
})
