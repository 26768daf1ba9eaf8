import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { init } from '../../src/boot/init/init.ts'
import { hookLine } from '../../src/boot/init/hook-line.ts'
import { loadConfig } from '../../src/boot/load-config.ts'
import type { InitReport, InitOptions } from '../../src/doors/cli/boot-reports.ts'

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
function run(more: Partial<InitOptions>): InitReport {
  mkdirSync(dirname(config()), { recursive: true })
  const wish = { from: [], write: false, undo: false, dry_run: false, ...more }
  const report = init({ config: config() }, wish, { home: home(), cwd: dirname(config()), platform: 'linux', env: {} })
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
  const line = (program: string, mode: 'refuse' | 'pass') =>
    hookLine({
      node: program,
      hook: 'hook.cjs',
      socket: join(root, "it's/gate.sock"),
      client: 'codex',
      name: 'PreToolUse',
      mode,
      limit_s: 2,
      wait_s: 0,
    })
  const broken = (text: string) => {
    const file = write(join(root, `broken ${Math.random()}`), text)
    spawnSync('chmod', ['+x', file])
    return file
  }
  const ran = (program: string, mode: 'refuse' | 'pass' = 'refuse') =>
    spawnSync('sh', ['-c', line(program, mode)], { encoding: 'utf8', input: '{}' })

  test('passes on an answer unchanged', () => {
    const good = broken('#!/bin/sh\nprintf \'{"a":"b\\\\n c"}\\n\'\n')
    expect(ran(good)).toMatchObject({ status: 0, stdout: '{"a":"b\\n c"}\n' })
  })

  test.each([
    ['is missing', undefined],
    ['crashes', 'exit 1'],
    ['is killed', 'kill -9 $$'],
    ['prints garbage', 'echo hello'],
    ['prints a line before its answer', 'echo log; echo "{}"'],
    ['prints nothing', 'exit 0'],
    ['answers and then fails', 'echo "{}"; exit 3'],
    ['hangs', 'sleep 60'],
  ])('refuses when the hook %s, and lets an event pass that decides nothing', (_, text) => {
    const program = text === undefined ? join(root, 'nowhere') : broken(`#!/bin/sh\n${text}\n`)
    const refused = ran(program)
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('so the call is refused')
    if (text !== 'sleep 60') expect(ran(program, 'pass')).toMatchObject({ status: 0, stdout: '{}\n' })
  })
})
