import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgeToolUse } from '../judge-tool-use.ts'
import { installedHook, installHook } from '../installed-hook.ts'
import { programFiles } from '../../../main/protected-files.ts'
import { LAUNCHER } from '../../../adapters/files/own-programs.ts'
import { hookPlaces } from '../hook-places.ts'
import { clientFiles } from '../../../main/init/client-files.ts'
import {
  COMMANDS,
  DECIDING,
  FILE_TOOLS,
  folderOf,
  KINDS,
  LINKS,
  LOADED,
  nameOf,
  NAMES_NO_FILE,
} from './ways-to-change.suite.ts'
import { CLIENT_TOOLS, HOOK_CLIENTS, type HookClient } from '../../../kernel/contract/hook-clients.ts'
import { AGENT, openTestGate, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { endsOf, IS_WHOLE, someOf } from '../../../../test/some-of.ts'

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
  mkdirSync(join(work(), 'pages'))
  symlinkSync('servers', join(work(), 'chain'))
  symlinkSync('../chain', join(work(), 'pages/chain'))
  symlinkSync('../.vscode', join(work(), 'src/editor'))
  symlinkSync('../.vscode', join(work(), 'src/new name'))
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
  const { decision, reason } = await judgeToolUse(rig.ports, use as never, 0)
  return decision === 'block' ? `block: ${reason ?? ''}` : `${decision} ${JSON.stringify(args)}`
}
const writes = (file_path: string) => judged('Write', { file_path, content: 'x', cwd: work() })
const runs = (command: string, cwd = work()) => judged('Bash', { command, cwd })

const notBlocked = (said: readonly string[]) => said.filter((each) => !each.startsWith('block'))

const absolute = (path: string) =>
  path.startsWith('/') ? path : path.startsWith('~') ? join(homedir(), path.slice(1)) : join(work(), path)
describe('a file that decides what a client runs', () => {
  test.each([...DECIDING, ...LOADED])('%s is not changed by a file tool or a command', async (path) => {
    const quoted = `${path.slice(0, -3)}"${path.slice(-3)}"`.replaceAll(' ', '\\ ')
    const said = [await writes(absolute(path)), await runs(`echo x > ${quoted}`)]
    if (IS_WHOLE || path === DECIDING[0])
      said.push(
        await judged('Edit', { file_path: absolute(path), old_string: 'a', new_string: 'b', cwd: work() }),
        await runs(`mv 'plain/${nameOf(path)}' "${absolute(folderOf(path))}"`),
      )
    expect(notBlocked(said)).toEqual([])
  })

  test.each(someOf(DECIDING, 3))('%s is recognized in any letter case', async (path) => {
    expect(notBlocked([await writes(absolute(path.toUpperCase()))])).toEqual([])
  })

  test.each(Object.entries(COMMANDS))('is not changed by a command: %s', async (_, command) => {
    const said: string[] = []
    for (const path of endsOf(KINDS)) said.push(await runs(command(path)))
    said.push(await runs(command(join(homedir(), '.bashrc'))), await runs(command('src/new name/mcp.json')))
    expect(notBlocked(said)).toEqual([])
  })

  test('is run and loaded, if it is no setting', async () => {
    const said = await Promise.all([
      runs('python3 .claude/skills/x/scripts/run.py --all > out.txt'),
      runs('bash .git/hooks/pre-commit'),
      runs('source ~/.bashrc && npm run build'),
      runs('. ./.envrc; make'),
      runs('cat ~/.profile > plain/profile'),
      runs('git config user.email a@b.example && git config --global init.defaultBranch main'),
      runs('git config --get core.hooksPath; git config core.editor; git config --list'),
      runs('git commit -m "explain .claude/settings.json and .git/hooks"'),
      runs('rm -rf .git && git init'),
      runs('claude mcp list; codex --version; code --list-extensions'),
      runs('npm install && npm test > log.txt'),
      runs('mkdir -p code/config && cp -r code config plugins plain && git add code plugins x'),
      writes('package.json'),
      writes('AGENTS.md'),
      writes('.cursor/rules/style.mdc'),
      writes('.github/workflows/ci.yml'),
    ])
    expect(said.filter((each) => !each.startsWith('allow'))).toEqual([])
  })

  test('is not changed by the programs that manage it', async () => {
    const said = await Promise.all([
      runs('git config core.hooksPath /tmp/x'),
      runs('git config --global alias.st "!touch x"'),
      runs('sudo git -C sub config set core.fsmonitor /tmp/x'),
      runs('git config --unset core.hooksPath'),
      runs('claude mcp add x -- /tmp/x'),
      runs('npx -y @anthropic-ai/claude-code@latest plugin install x'),
      runs('codex mcp add x -- y'),
      runs('timeout 5 gemini extensions install https://a.example'),
      runs("bash -c 'copilot plugin install x'"),
      runs('code --install-extension a.b --force'),
      runs('cursor --add-mcp {}'),
      runs('mv plain/bare .git'),
    ])
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

describe.each(HOOK_CLIENTS)('the file tools of %s', (client) => {
  // Every client takes its own third of the ways.
  const at = HOOK_CLIENTS.indexOf(client) % 3
  const links = IS_WHOLE ? Object.entries(LINKS) : Object.entries(LINKS).filter((_, nth) => nth % 3 === at)

  test('are all in this table', () => {
    const tools = CLIENT_TOOLS[client].write?.split(' ') ?? []
    expect(Object.keys(FILE_TOOLS[client]).toSorted()).toEqual(
      tools.filter((name) => !NAMES_NO_FILE.has(name)).toSorted(),
    )
  })

  test.each(links)('do not change a protected file through %s', async (_, path) => {
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
