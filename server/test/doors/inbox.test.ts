import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientFor, followFor } from '../../src/doors/cli/client.ts'
import { runInbox, type Screen } from '../../src/doors/cli/inbox/run-inbox.ts'
import { LAUNCHER, startGate, type RunningGate } from './with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())

/** Two streams that a terminal program takes for a terminal. */
function terminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin, ref() {}, unref() {} })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 })
  let shown = ''
  stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const until = async (text: string) => {
    while (!shown.includes(text)) await new Promise((more) => stdout.once('data', more))
    shown = ''
  }
  return { screen: { stdin, stdout } as unknown as Screen, press: (keys: string) => stdin.write(keys), until }
}

const held = async (text: string) =>
  JSON.parse((await gate.cli('--json', 'call', 'book__note', JSON.stringify({ text }))).out) as Record<string, string>
const stateOf = async (id: string | undefined) =>
  (JSON.parse((await gate.cli('--json', 'approvals', id ?? '')).out) as { state: string }).state

test('the inbox shows what comes in while it is open, and a key decides it', async () => {
  const target = { socket: join(gate.folder, '.sluice/gate.sock') }
  const { screen, press, until } = terminal()
  const closed = runInbox({ ask: clientFor(target), follow: followFor(target) }, screen)
  await until('nothing waits')
  const first = await held('buy milk')
  await until('text: buy milk')
  press('a')
  await until(`${first['approval_id']} is approved`)
  const second = await held('buy eggs')
  await until('text: buy eggs')
  press('d')
  await until('why not?')
  press('too many')
  await until('too many')
  press('\r')
  await until(`${second['approval_id']} is denied`)
  press('q')
  await closed
  expect(await stateOf(first['approval_id'])).toMatch(/approved|consumed/)
  expect(await stateOf(second['approval_id'])).toBe('denied')
})

test('where there is no terminal, each request is printed once, as it comes in', async () => {
  const child = spawn(process.execPath, [LAUNCHER, '--json', 'approvals', '--watch'], {
    cwd: gate.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as Record<string, string>
  const one = await held('one')
  expect(await next()).toMatchObject({ approval_id: one['approval_id'] })
  const two = await held('two')
  expect(await next()).toMatchObject({ approval_id: two['approval_id'] })
  child.kill('SIGINT')
  expect(await lines.next()).toMatchObject({ done: true })
})
