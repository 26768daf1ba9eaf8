import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedHook, installHook } from '../../src/boot/installed-hook.ts'
import { programFiles } from '../../src/boot/protected-files.ts'
import { LAUNCHER } from '../../src/boot/local-gate.ts'
import { hookPlaces } from '../../src/boot/init/hook-files.ts'
import { clientFiles } from '../../src/boot/init/client-files.ts'
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
  for (const file of ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.claude/settings.json', 'notes.md'])
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
  const config = { servers: { 'claude-code': { client: 'claude-code' }, codex: { client: 'codex' } } }
  rig = await openTestGate(join(root, 'gate'), { config, policy: POLICY })
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(root, { recursive: true, force: true })
})

let sessions = 0
async function judged(tool: string, args: object): Promise<string> {
  sessions += 1
  const use = { caller: AGENT, client: 'claude-code', tool, args, thread: `s${sessions}` } as const
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

test('the lists of `init` and of the protection are one: every file that `init` changes is protected by its name', async () => {
  const around = { home: '/home/other', cwd: '/srv/project', platform: process.platform, env: {} }
  const files = [...clientFiles(around), ...hookPlaces(around)].map(({ file }) => file)
  for (const file of files) expect([file, await writes(file)]).toEqual([file, expect.stringMatching(/^block/)])
})
