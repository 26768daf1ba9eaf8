import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LAUNCHER } from '../../../../test/built/built.ts'
import { run } from '../../../../test/helpers/with-running-gate.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-init-asks-'))
  mkdirSync(join(root, 'home/.codex'), { recursive: true })
  mkdirSync(join(root, 'project'))
  write(mcp(), '{"mcpServers":{"book":{"command":"node","args":["book.js"]}}}\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const mcp = () => join(root, 'home/.cursor/mcp.json')
const hooks = () => join(root, 'home/.codex/hooks.json')
const unit = () => join(root, 'home/.config/systemd/user/sluice.service')
const env = () => ({ HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'home/.config'), XDG_DATA_HOME: '' })
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const outcome = () => ({
  gate: readFileSync(mcp(), 'utf8').includes('"sluice"'),
  hooks: existsSync(hooks()),
  service: existsSync(unit()),
})
const script = (...words: string[]) => run(join(root, 'project'), ['init', ...words], '', { env: env() })

/** A terminal in which somebody answers one question after the other. */
function inTerminal(words: readonly string[], answers: readonly string[]) {
  const line = [process.execPath, LAUNCHER, 'init', ...words].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: join(root, 'project'),
    env: { ...process.env, ...env() },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let [said, answered] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    const asked = said.split('[y/N]').length - 1
    for (; answered < asked; answered += 1) child.stdin.write(`${answers[answered] ?? 'n'}\n`)
  })
  return new Promise<{ said: string; asked: number }>((done) =>
    child.once('close', () => done({ said, asked: answered })),
  )
}

test.each([
  [['--yes'], { hooks: false, service: false }],
  [['--yes', '--no-hooks'], { hooks: false, service: false }],
  [['--yes', '--hooks'], { hooks: true, service: false }],
  [['--yes', '--hooks', '--service'], { hooks: true, service: true }],
  [['--yes', '--service'], { hooks: false, service: true }],
])('without a terminal, `init --write %s` installs what was asked for and says the rest', async (words, wanted) => {
  const { out, code } = await script('--write', ...words)
  expect(code).toBe(0)
  expect(outcome()).toEqual({ gate: true, ...wanted })
  expect(out.includes('no hooks are installed for codex')).toBe(!wanted.hooks)
  expect(out.includes('init --write --hooks` installs them')).toBe(!wanted.hooks)
  expect(out.includes('service install` starts it when you log in')).toBe(wanted.hooks && !wanted.service)
  expect((await script('--undo')).code).toBe(0)
  expect(outcome()).toEqual({ gate: false, hooks: false, service: wanted.service })
})

test.each([
  [[], ['y', 'y', 'y'], 3, { gate: true, hooks: true, service: true }],
  [[], ['y', 'y', 'n'], 3, { gate: true, hooks: true, service: false }],
  [[], ['y', 'n'], 2, { gate: true, hooks: false, service: false }],
  [[], ['n'], 1, { gate: false, hooks: false, service: false }],
  [['--no-hooks'], ['y'], 1, { gate: true, hooks: false, service: false }],
  [['--hooks', '--no-service'], ['y'], 1, { gate: true, hooks: true, service: false }],
] as const)('in a terminal, `init --write %s` with the answers %s', async (words, answers, asked, wanted) => {
  const ran = await inTerminal(['--write', ...words], answers)
  expect(ran.asked).toBe(asked)
  expect(outcome()).toEqual(wanted)
  const isExplained = words.length === 0 && answers[0] === 'y'
  expect(ran.said.includes('they ask the gate before every such call')).toBe(isExplained)
  expect(ran.said.includes('while no gate runs, every such call is refused')).toBe(isExplained)
})

test('hooks can be added later, and undo removes them first', async () => {
  await script('--write', '--yes')
  const { out } = await script('--write', '--hooks', '--yes')
  expect(out).toContain(`added the hooks to ${hooks()}`)
  await script('--undo')
  expect(outcome()).toEqual({ gate: true, hooks: false, service: false })
  await script('--undo')
  expect(outcome()).toEqual({ gate: false, hooks: false, service: false })
})

test.each([[['--hooks']], [['--service']], [['--undo', '--hooks']]])(
  '`init %s` without --write is a mistake',
  async (words) => {
    const { code, err } = await script(...words)
    expect([code, err]).toEqual([64, expect.stringContaining('needs --write')])
    expect(existsSync(join(root, 'project/sluice.yaml'))).toBe(false)
  },
)

test('settings beside the hooks of a client are kept, and a place that is taken is left', async () => {
  const file = join(root, 'home/.gemini/settings.json')
  write(file, '{ "hooks": { "enabled": true, "disabled": ["a"] } }\n')
  await script('--write', '--hooks', '--yes')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ hooks: { enabled: true, disabled: ['a'] } })
  write(hooks(), '{ "hooks": { "PreToolUse": "mine" } }\n')
  const { out } = await script('--write', '--hooks', '--yes')
  expect(readFileSync(hooks(), 'utf8')).toBe('{ "hooks": { "PreToolUse": "mine" } }\n')
  expect(out).toContain(`${hooks()} could not be changed, so the hooks of codex are not installed`)
})
