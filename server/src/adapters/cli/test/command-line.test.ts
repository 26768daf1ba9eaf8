import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GUESTS } from '../../../main/guests.ts'
import { allProblems } from '../../../kernel/registries.ts'
import { run, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { isGoneCommand } from '../../../../test/this-build.ts'

let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())

test('a pause is shown by every command until it ends, and `pauses` lists it', async () => {
  expect((await gate.cli('pauses')).out).toBe('nothing is paused\n')
  await gate.cli('pause', 'tool:book__note', '--reason', 'cleaning')
  const listed = await gate.cli('pauses')
  expect(listed.out).toContain('paused: every call of tool:book__note is blocked since')
  expect(listed.out).toMatch(/by admin:local: cleaning; end it with `.*unpause tool:book__note`\n$/)
  expect(listed.err).toBe('')
  const commands = [['tools'], ['approvals'], ['call', 'book__look', '{"where":"x"}']]
  const said = await Promise.all([...commands, ['--json', 'servers']].map((words) => gate.cli(...words)))
  for (const { err } of said.slice(0, -1))
    expect(err).toMatch(/! paused: .*cleaning; end it with `.*unpause tool:book__note`/)
  expect(said.at(-1)?.err).toBe('')
  expect((await gate.cli('unpause', 'tool:book__note')).out).toBe('tool:book__note: no longer paused\n')
  expect((await gate.cli('unpause', 'tool:book__note')).out).toBe('tool:book__note: was not paused\n')
  expect((await gate.cli('servers')).err).toBe('')
})

test('`audit tail` prints the newest entries, the oldest of them first; `audit key` the public key', async () => {
  await gate.cli('call', 'book__look', '{"where":"tail"}')
  const lines = (await gate.cli('audit', 'tail', '-n', '2')).out.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(
    /^\d+ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}A call of book__look by the owner of the data folder ran {2}call\.executed call=call_\w+ .*tool=book__look/,
  )
  expect((await gate.cli('audit', 'key')).out).toMatch(/^[0-9a-f]{64} {2}[0-9a-f]{16}\n$/)
})

test('hints name the gate that the command was about', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hints-'))
  const config = join(gate.folder, 'sluice.yaml')
  const held = await run(folder, ['--config', config, 'call', 'book__note', '{"text":"a"}'])
  const command = /decide: {2}(\S+ --config \S+) approve (auth_\w+)/.exec(held.out)
  const [launcher = '', ...options] = (command?.[1] ?? '').split(' ')
  const denied = await run(folder, [...options, 'deny', command?.[2] ?? ''], undefined, { launcher })
  expect([denied.code, denied.out]).toEqual([0, expect.stringContaining('is denied')])
  rmSync(folder, { recursive: true, force: true })
})

test('`consent list` shows what the arguments may be', async () => {
  const mint = ['consent', 'mint', 'caller:agent:x', 'book__note', '--calls', '1', '--for', '2h']
  expect((await gate.cli(...mint, '--arg', '/text equals "hi"')).out).toContain('permits caller:agent:x 1 call of')
  await gate.cli(...mint, '--any-args')
  const { out } = await gate.cli('consent', 'list')
  expect(out).toContain('ARGUMENTS')
  expect(out).toContain('`text` must be "hi"; a call with any other argument is still held')
  expect(out).toContain('book__note  all arguments may have any value')
})

test('what a call belongs to is a session on the command line, as in the console', async () => {
  const helps = ['call', 'status', 'artifact', 'runs', 'token', 'redeem'].map((name) => gate.cli(name, '--help'))
  for (const { out } of await Promise.all(helps)) {
    expect(out).toContain('session')
    expect(out.replaceAll('agent threads', '')).not.toContain('thread')
  }
  const { out } = await gate.cli('call', 'book__note', '{"text":"s"}', '--session', 'mine')
  const [approval = ''] = /auth_\w+/.exec(out) ?? []
  expect((await gate.cli('approvals', approval)).out).toContain('in session `mine`')
  expect((await gate.cli('runs', '--session', 'mine')).out).toContain('held-call')
  expect((await gate.cli('runs', '--session', 'other')).out).toBe('no runs\n')
})

test('every command that a problem recommends exists', async () => {
  const all = Object.values(await allProblems(GUESTS)).flatMap(({ do: remedy }) => [
    ...remedy.matchAll(/`sluice ([a-z]+)(?: ([a-z]+))?/g),
  ])
  const named = all.filter(([, name = '']) => !isGoneCommand(name))
  const lines = ({ out }: { readonly out: string }) =>
    out.split('\n').map((line) => /^ {2}([a-z-]+)/.exec(line)?.[1] ?? '')
  const commands = lines(await gate.cli('--help'))
  expect(named.map(([, name = '']) => name).filter((name) => !commands.includes(name))).toEqual([])
  const groups = new Set(named.flatMap(([, name = '', part]) => (part === undefined ? [] : [name])))
  const parts = new Map(
    await Promise.all([...groups].map(async (name) => [name, await gate.cli(name, '--help')] as const)),
  )
  for (const [, name = '', part] of named)
    if (part !== undefined) expect(parts.get(name)?.out).toMatch(new RegExp(`(?:^ {2}|\\[|\\b${name} )${part}\\b`, 'm'))
})

test('`artifact` says when it prints only a part, and the printed command continues there', async () => {
  const ran = await gate.cli('--json', 'call', 'book__big', '{"size":120000}')
  const digest = /artifact:\/\/([0-9a-f]{64})/.exec(ran.out)?.[1] ?? ''
  const part = await gate.cli('artifact', digest, '--raw')
  const [, from = ''] =
    /truncated: characters 0 to (\d+) of \d+; continue with \S+ artifact \w+ --from \d+/.exec(part.err) ?? []
  expect(Number(from)).toBe(part.out.length - 1)
  const rest = await gate.cli('artifact', digest, '--raw', '--from', from)
  expect([rest.code, rest.err]).toEqual([0, ''])
})
