import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { init } from '../../../main/test/init-here.suite.ts'
import { hookLine } from '../hook-files.ts'
import { installedHook, installHook, refreshHook } from '../installed-hook.ts'
import { HOOK } from '../../../adapters/files/own-programs.ts'
import { loadConfig } from '../../../main/load-config.ts'
import type { InitReport, InitOptions } from '../../../main/init/init-report.ts'

let root = ''
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "sluice hooks' "))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const home = () => join(root, 'home')
const config = () => join(root, 'project/sluice.yaml')
const read = (file: string) => readFileSync(file, 'utf8')
function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
const around = () => ({ home: home(), cwd: dirname(config()), platform: 'linux' as const, env: {} })
function run(more: Partial<InitOptions>): InitReport {
  mkdirSync(dirname(config()), { recursive: true })
  const wish = { from: [], write: false, hooks: true, undo: false, dry_run: false, ...more }
  const report = init({ config: config() }, wish, around())
  if (!report.ok) throw new Error(JSON.stringify(report.problem))
  return report.value
}

type Entry = {
  matcher?: string
  hooks?: { command: string; onFailure?: string }[]
  command?: string
  failClosed?: boolean
}
const hooksOf = (file: string) => (JSON.parse(read(file)) as { hooks: Record<string, Entry[]> }).hooks

test('every coding agent on the machine gets its hooks and its server, and undo restores everything', () => {
  const claude = write(
    join(home(), '.claude/settings.json'),
    '{ // mine\n  "model": "opus", "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] }] } }\n',
  )
  const before = read(claude)
  for (const folder of ['.codex', '.gemini', '.qwen', '.cursor', '.copilot', '.config/opencode'])
    mkdirSync(join(home(), folder), { recursive: true })
  const { changed } = run({ write: true })
  expect(changed.map(({ file }) => file.slice(home().length + 1)).toSorted()).toEqual([
    '.claude/settings.json',
    '.codex/hooks.json',
    '.config/opencode/opencode.json',
    '.config/opencode/plugin/sluice.js',
    '.copilot/hooks/sluice.json',
    '.cursor/hooks.json',
    '.gemini/settings.json',
    '.qwen/settings.json',
  ])
  expect(read(claude)).toContain('// mine')
  const text = read(claude).replace('// mine', '')
  const { PreToolUse } = (JSON.parse(text) as { hooks: Record<string, Entry[]> }).hooks
  expect(PreToolUse?.map((entry) => entry.hooks?.[0]?.command.includes('sluice-hook.cjs'))).toEqual([false, true])
  expect(PreToolUse?.[1]?.hooks?.[0]?.onFailure).toBe('block')
  expect(hooksOf(join(home(), '.cursor/hooks.json'))['beforeShellExecution']?.[0]?.failClosed).toBe(true)
  const servers = loadConfig(config(), true)
  expect(servers).toMatchObject({
    ok: true,
    value: { config: { servers: { codex: { client: 'codex' }, 'claude-code': { client: 'claude-code' } } } },
  })
  // A second run changes nothing.
  expect(run({ write: true }).changed).toEqual([])
  run({ undo: true })
  expect(read(claude)).toBe(before)
  expect(existsSync(join(home(), '.codex/hooks.json'))).toBe(false)
})

test('a server that has the name of a coding agent keeps its place beside the server of the hooks', () => {
  write(join(home(), '.cursor/mcp.json'), '{"mcpServers":{"codex":{"command":"codex","args":["mcp-server"]}}}')
  mkdirSync(join(home(), '.codex'))
  const servers = () => {
    const loaded = loadConfig(config(), true)
    return loaded.ok
      ? Object.entries(loaded.value.config.servers).map(([name, { command, client }]) => [name, command ?? client])
      : loaded
  }
  run({ write: true, hooks: true })
  expect(servers()).toEqual([
    ['codex-2', 'codex'],
    ['codex', 'codex'],
    ['cursor', 'cursor'],
  ])
  run({ undo: true })
  rmSync(config())
  run({})
  run({ write: true, hooks: true })
  expect(servers()).toEqual([
    ['codex', 'codex'],
    ['codex-2', 'codex'],
    ['cursor', 'cursor'],
  ])
})

test('opencode`s settings permit nothing while the plugin is not loaded, and the plugin restores what the user permits', async () => {
  const text = '{\n  // mine\n  "permission": { "bash": "ask", "edit": "allow" }\n}\n'
  const settings = write(join(home(), '.config/opencode/opencode.jsonc'), text)
  run({ write: true })
  const changed = JSON.parse(read(settings).replace('// mine', '')) as { permission: object }
  expect(changed.permission).toEqual({ '*': 'deny' })
  expect(run({ write: true }).changed).toEqual([])
  const plugin = join(home(), '.config/opencode/plugin/sluice.js')
  const module = write(join(root, 'plugin.mjs'), read(plugin))
  const { SluicePlugin } = (await import(module)) as {
    SluicePlugin(input: object): Promise<{ config(config: { permission?: unknown }): Promise<void> }>
  }
  const { config: configure } = await SluicePlugin({ directory: root })
  const permitted = async (permission: unknown) => {
    const given = { permission }
    await configure(given)
    return given.permission
  }
  expect(await permitted({ '*': 'deny' })).toEqual({ bash: 'ask', edit: 'allow' })
  expect(await permitted({ '*': 'deny', bash: 'deny' })).toEqual({ bash: 'deny', edit: 'allow' })
  expect(await permitted('ask')).toEqual({ '*': 'ask', bash: 'ask', edit: 'allow' })
  run({ undo: true })
  expect([read(settings), existsSync(plugin)]).toEqual([text, false])
})

test('undo removes our hooks from a settings file that its client has rewritten since, and keeps the rest', () => {
  const file = write(join(home(), '.gemini/settings.json'), '{ "ui": { "theme": "dark" } }\n')
  run({ write: true })
  const now = JSON.parse(read(file)) as Record<string, unknown>
  writeFileSync(file, JSON.stringify({ ...now, added: 'by the client' }, null, 4))
  run({ undo: true })
  expect(JSON.parse(read(file))).toEqual({ ui: { theme: 'dark' }, added: 'by the client', hooks: {} })
})

describe('the installed line', () => {
  const line = (program: string, mode: 'refuse' | 'pass', hook = 'hook.cjs') =>
    hookLine({
      node: program,
      hook,
      socket: join(root, "it's/gate.sock"),
      client: 'codex',
      name: 'PreToolUse',
      mode,
      limit_s: 2,
      wait_s: 0,
    })
  const executable = (text: string, folder = '') => {
    const file = write(join(root, folder, `program ${Math.random()}`), `#!/bin/sh\n${text}\n`)
    chmodSync(file, 0o755)
    return file
  }
  const ran = (program: string, mode: 'refuse' | 'pass' = 'refuse', env: NodeJS.ProcessEnv = {}) =>
    spawnSync('/bin/sh', ['-c', line(program, mode)], {
      encoding: 'utf8',
      input: '{}',
      env: { ...process.env, ...env },
    })
  /** Its last argument is the nonce. */
  const NONCE = 'for n do :; done;'

  test('passes on an answer unchanged', () => {
    const good = executable(`${NONCE} printf '%s{"a":"b\\\\n {c} $x"}\\n' "$n"`)
    expect(ran(good)).toMatchObject({ status: 0, stdout: '{"a":"b\\n {c} $x"}\n' })
  })

  test.each([
    ['is missing', undefined],
    ['crashes', 'exit 1'],
    ['is killed', 'kill -9 $$'],
    ['prints garbage', 'echo hello'],
    ['prints nothing', 'exit 0'],
    ['prints an answer without the nonce', "echo '{}'"],
    ['repeats another nonce', "echo '0123456789abcdef{}'"],
    ['prints the nonce alone', `${NONCE} echo "$n"`],
    ['prints a line before its answer', `${NONCE} echo log; echo "$n{}"`],
    ['answers and then fails', `${NONCE} echo "$n{}"; exit 3`],
    ['hangs', 'sleep 60'],
  ])('refuses when the hook %s, and lets an event pass that decides nothing', (_, text) => {
    const program = text === undefined ? join(root, 'nowhere') : executable(text)
    const refused = ran(program)
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('so the call is refused')
    if (text !== 'sleep 60') expect(ran(program, 'pass')).toMatchObject({ status: 0, stdout: '{}\n' })
  })

  test('has another nonce each time', () => {
    const seen = executable(`${NONCE} echo "$n" >> ${JSON.stringify(join(root, 'nonces'))}`)
    ran(seen)
    ran(seen)
    const [one, other] = read(join(root, 'nonces')).trim().split('\n')
    expect(one).toMatch(/^[0-9a-f]{16}$/)
    expect(other).not.toBe(one)
  })

  test('starts nothing that the PATH or a variable of the client names', () => {
    const mark = join(root, 'mark')
    const fake = join(root, 'fakes')
    // What a fake of any program that the line uses would do: note that it ran, and allow the call.
    for (const name of ['sh', 'env', 'timeout', 'perl', 'od', 'printf', 'node', 'echo']) {
      const file = write(
        join(fake, name),
        `#!/bin/sh\nfor n do :; done\necho ${name} >> ${JSON.stringify(mark)}\necho "$n{}"\n`,
      )
      chmodSync(file, 0o755)
    }
    const loaded = write(join(root, 'loaded.cjs'), `require('fs').appendFileSync(${JSON.stringify(mark)}, 'loaded')\n`)
    const sourced = write(join(root, 'sourced.sh'), `echo sourced >> ${JSON.stringify(mark)}\n`)
    const env = {
      PATH: fake,
      NODE_OPTIONS: `--require ${JSON.stringify(loaded)}`,
      NODE_PATH: fake,
      ENV: sourced,
      BASH_ENV: sourced,
      PERL5OPT: '-Mnothing',
      LD_LIBRARY_PATH: fake,
      'BASH_FUNC_timeout%%': '() { echo "{}"; }',
    }
    const hook = write(
      join(root, 'hook.cjs'),
      `const a = process.argv; console.log(a[a.indexOf('--nonce') + 1] + JSON.stringify(Object.keys(process.env)).replace('[', '{"env":[') + '}')\n`,
    )
    const answer = spawnSync('/bin/sh', ['-c', line(process.execPath, 'refuse', hook)], {
      encoding: 'utf8',
      input: '{}',
      env,
    })
    expect(existsSync(mark) ? read(mark) : '').toBe('')
    expect(answer.status).toBe(0)
    const { env: seen } = JSON.parse(answer.stdout) as { env: string[] }
    // A shell may add these.
    expect(seen.filter((name) => !['PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([])
  })
})

describe('the program of the hooks', () => {
  const copies = () => join(home(), '.local/share/sluice/hooks')
  const copy = () => join(copies(), readdirSync(copies())[0] ?? '', 'sluice-hook.cjs')

  test('is a copy outside the project, private, refreshed by `init`, and removed when no client uses it', () => {
    for (const folder of ['.codex', '.gemini']) mkdirSync(join(home(), folder), { recursive: true })
    run({ write: true, from: ['codex'] })
    expect(read(copy())).toBe(read(HOOK))
    expect(statSync(copy()).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(copy())).mode & 0o777).toBe(0o700)
    expect(read(join(home(), '.codex/hooks.json'))).toContain(copy().split(home()).at(-1))
    writeFileSync(copy(), 'console.log("{}")')
    run({ write: true, from: ['gemini'] })
    expect(read(copy())).toBe(read(HOOK))
    run({ undo: true })
    expect(existsSync(copy())).toBe(true)
    run({ undo: true })
    expect(existsSync(dirname(dirname(copies())))).toBe(false)
  })

  test('is refreshed by a gate that starts, if it was installed', () => {
    const file = join(root, 'hooks/a/sluice-hook.cjs')
    expect(refreshHook(file)).toEqual({ ok: true })
    expect(existsSync(file)).toBe(false)
    expect(installHook(file)).toEqual({ ok: true })
    writeFileSync(file, 'console.log("{}")')
    refreshHook(file)
    expect(read(file)).toBe(read(HOOK))
  })

  test('is not written to a folder that others can change, and then no client is changed', () => {
    mkdirSync(join(home(), '.codex'), { recursive: true })
    run({ write: true })
    run({ undo: true })
    mkdirSync(copies(), { recursive: true })
    const folder = dirname(installedHook(join(root, 'project/.sluice'), around()))
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o777)
    const wish = { from: [], write: true, hooks: true, undo: false, dry_run: false }
    expect(init({ config: config() }, wish, around())).toMatchObject({
      ok: false,
      problem: { code: 'init.hook_not_installed' },
    })
    expect(existsSync(join(home(), '.codex/hooks.json'))).toBe(false)
  })
})
