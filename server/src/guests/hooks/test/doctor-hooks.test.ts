import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkHookedGate } from '../../../main/doctor/check-clients.ts'
import { checkHooks, askingAt } from '../check-hooks.ts'
import { init } from '../../../main/test/init-here.suite.ts'
import { installedHook } from '../installed-hook.ts'
import { serviceUnit } from '../../../main/service-unit.ts'
import { HOOK_CLIENTS } from '../../../kernel/contract/hook-clients.ts'

let root = ''
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sluice-doctor-hooks-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const around = () => ({ home: join(root, 'home'), cwd: join(root, 'project'), platform: 'linux' as const, env: {} })
const hook = () => installedHook(join(root, 'project/.sluice'), around())
const program = (socket = join(root, 'project/.sluice/gate.sock')) => ({ node: process.execPath, hook: hook(), socket })
const FOLDERS = ['.claude', '.codex', '.copilot', '.cursor', '.gemini', '.config/opencode', '.qwen']

function install(): void {
  for (const folder of FOLDERS) mkdirSync(join(root, 'home', folder), { recursive: true })
  mkdirSync(join(root, 'project'), { recursive: true })
  const wish = { from: [], write: true, hooks: true, undo: false, dry_run: false }
  const report = init({ config: join(root, 'project/sluice.yaml') }, wish, around())
  if (!report.ok) throw new Error(JSON.stringify(report.problem))
}
function change(path: string, edit: (text: string) => string): void {
  const file = join(root, 'home', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, edit(readFileSync(file, { encoding: 'utf8', flag: 'a+' })))
}
const found = (client: string, of = program()) =>
  checkHooks(around(), of, {})
    .filter(({ says }) => says.includes(client))
    .map(({ severity, says }) => `${severity}: ${says}`)

test('clients without hooks are warned about, and clients with them are not', () => {
  for (const folder of FOLDERS) mkdirSync(join(root, 'home', folder), { recursive: true })
  expect(checkHooks(around(), program(), {}).map(({ severity }) => severity)).toEqual(HOOK_CLIENTS.map(() => 'warning'))
  install()
  const after = checkHooks(around(), program(), {})
  expect(after.map(({ severity, says }) => [severity, says])).toEqual(
    HOOK_CLIENTS.map(() => ['note', expect.stringMatching(/are installed .*whether it runs them is not known here/)]),
  )
})

test('hooks that were changed, or that an older release wrote, are outdated', () => {
  install()
  change('.codex/hooks.json', (text) => text.replace('"timeout": 600', '"timeout": 30'))
  expect(found('codex')).toEqual([
    expect.stringMatching(/^warning: the hooks of codex differ from those that this release installs/),
  ])
})

test('hooks that start a program that is gone, or ask another gate, do not work', () => {
  install()
  change('.gemini/settings.json', (text) => text.replaceAll(hook(), '/gone/bin/sluice-hook.cjs'))
  expect(found('gemini')).toEqual([expect.stringMatching(/^error: .* a program that does not exist, `\/gone/)])
  expect(found('qwen', program('/other/.sluice/gate.sock'))).toEqual([expect.stringMatching(/^error: .* another gate/)])
})

test('a program of the hooks that was changed is an error', () => {
  install()
  writeFileSync(hook(), 'console.log("{}")')
  expect(found('codex')).toEqual([
    expect.stringMatching(/^error: the program that the hooks of codex start differs from/),
  ])
})

test.each([
  ['claude-code', '.claude/settings.json', '"disableAllHooks": true'],
  ['gemini', '.gemini/settings.json', '"hooksConfig": { "enabled": false }'],
  ['gemini', '.gemini/settings.json', '"hooksConfig": { "disabled": ["sluice"] }'],
  ['qwen', '.qwen/settings.json', '"disableAllHooks": true'],
])('%s with its own switch for hooks turned off is an error: %s %s', (client, file, setting) => {
  install()
  change(file, (text) => text.replace('{', `{ ${setting},`))
  expect(found(client)).toEqual([expect.stringMatching(/^error: .* does not run its hooks/)])
})

test('codex with `hooks = false`, and opencode with open settings', () => {
  install()
  change('.codex/config.toml', () => '[features]\nhooks = false\n')
  expect(found('codex')).toEqual([expect.stringMatching(/^error: codex does not run its hooks/)])
  change('.config/opencode/opencode.json', () => '{}\n')
  expect(found('opencode')).toEqual([expect.stringMatching(/^warning: opencode runs every tool/)])
})

describe('the gate that hooked clients depend on', () => {
  const unitOf = (platform: NodeJS.Platform, folder: string) =>
    serviceUnit({
      platform,
      home: join(root, 'home'),
      node: process.execPath,
      launcher: 'sluice',
      config: join(root, folder, 'sluice.yaml'),
      log: 'gate.log',
      hasManager: true,
    })
  const enable = (file: string) => {
    mkdirSync(dirname(file), { recursive: true })
    symlinkSync('../sluice.service', file)
  }
  const put = (platform: NodeJS.Platform, folder: string) => {
    const unit = unitOf(platform, folder)
    if (unit === undefined) throw new Error('no unit')
    mkdirSync(dirname(unit.file), { recursive: true })
    writeFileSync(unit.file, unit.text)
    return unit
  }

  test('is named if it does not run, or if nothing is seen that starts it at login', () => {
    const said = (runs: 'yes' | 'no' | 'unknown', platform: NodeJS.Platform = 'linux', clients = ['codex']) =>
      checkHookedGate(clients, { runs, unit: unitOf(platform, 'project') }).map(({ says }) => says)
    expect(said('no', 'linux', [])).toEqual([])
    expect(said('yes', 'linux', [])).toEqual([])
    expect(said('no')).toEqual([expect.stringMatching(/^no gate is running, so the hooks of codex refuse every call/)])
    expect(said('yes')).toEqual([expect.stringMatching(/^there is no .*sluice\.service; after a restart/)])
    expect(said('yes', 'win32')).toEqual([expect.stringMatching(/^neither systemd nor launchd was found/)])
    expect(said('unknown')).toEqual([])
    put('linux', 'other')
    expect(said('yes')).toEqual([expect.stringMatching(/sluice\.service starts another gate; /)])
    const { link = '' } = put('linux', 'project')
    expect(said('yes')).toEqual([expect.stringMatching(/is not enabled: there is no .*default\.target\.wants/)])
    enable(link)
    expect(said('yes')).toEqual([])
    expect(said('yes', 'darwin')).toEqual([expect.stringMatching(/^there is no .*LaunchAgents/)])
    put('darwin', 'project')
    expect(said('yes', 'darwin')).toEqual([])
  })

  test('only clients whose hooks ask this gate count', () => {
    expect(askingAt(program().socket, around())).toEqual([])
    install()
    expect(askingAt(program().socket, around())).toEqual([...HOOK_CLIENTS])
    expect(askingAt('/other/gate.sock', around())).toEqual([])
  })
})
