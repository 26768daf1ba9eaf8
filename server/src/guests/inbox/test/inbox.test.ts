import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { clientFor, followFor } from '../../../adapters/cli/client.ts'
import { runInbox, type Screen } from '../run-inbox.ts'
import { LAUNCHER } from '../../../../test/built/built.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())

const BEGIN_FRAME = '\u001b[?2026h'

/** Two streams that a terminal program takes for a terminal. */
function terminal(rows = 40) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin, ref() {}, unref() {} })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows })
  let shown = ''
  stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const until = async (text: string) => {
    while (!shown.includes(text)) await new Promise((more) => stdout.once('data', more))
    // A frame is drawn once: what the next step waits for may already be in it.
    shown = shown.slice(Math.max(0, shown.lastIndexOf(BEGIN_FRAME)))
  }
  /** One key at a time, each after the screen has followed the one before, until the text is on it. */
  const scroll = async (key: string, text: string) => {
    while (!shown.includes(text)) {
      const drawn = new Promise((done) => stdout.once('data', done))
      stdin.write(key)
      await drawn
    }
  }
  const press = (keys: string) => stdin.write(keys)
  return { screen: { stdin, stdout } as unknown as Screen, press, until, scroll }
}

const held = async (text: string) =>
  JSON.parse((await gate.cli('--json', 'call', 'book__note', JSON.stringify({ text }))).out) as Record<string, string>
const stateOf = async (id: string | undefined) =>
  (JSON.parse((await gate.cli('--json', 'approvals', id ?? '')).out) as { state: string }).state

test('the inbox shows requests that arrive while it is open, and a key press decides one', async () => {
  const target = { socket: join(gate.folder, '.sluice/gate.sock') }
  const { screen, press, until } = terminal()
  const closed = runInbox({ ask: clientFor(target), follow: followFor(target) }, screen)
  await until('no pending requests')
  const first = await held('buy milk')
  await until('text: buy milk')
  press('a')
  await until('executed: noted buy milk')
  const second = await held('buy eggs')
  await until('text: buy eggs')
  press('d')
  await until('reason for denying it:')
  press('too many')
  await until('too many')
  press('\r')
  await until(`${second['approval_id']} is denied`)
  press('q')
  await closed
  expect(await stateOf(first['approval_id'])).toMatch(/approved|consumed/)
  expect(await stateOf(second['approval_id'])).toBe('denied')
})

test('the inbox approves only what was on the screen to its last line, without a gap', async () => {
  const target = { socket: join(gate.folder, '.sluice/gate.sock') }
  // Fewer lines than a page scrolls.
  const { screen, press, until, scroll } = terminal(24)
  const closed = runInbox({ ask: clientFor(target), follow: followFor(target) }, screen)
  await until('no pending requests')
  const long = (name: string) => `${name}\n${'a line\n'.repeat(60)}the last line`
  const first = await held(long('first'))
  await until('press v to show all')
  press('a')
  await until('only what was on the screen can be approved')
  press('d')
  await until('reason for denying it:')
  press('not read')
  await until('not read')
  press('\r')
  await until(`${first['approval_id']} is denied`)
  // The screen says so before the list is read again, while the first request is still on it.
  await until('no pending requests')
  const second = await held(long('second'))
  await until('press v to show all')
  press('v')
  await until('more lines, press ↓')
  // By whole pages: what is between two of them was not seen.
  await scroll('\u001b[6~', '  request digest ')
  press('a')
  await until('only what was on the screen can be approved')
  press('v')
  await until('press v to show all')
  press('v')
  await until('more lines, press ↓')
  await scroll('\u001b[B', '  request digest ')
  press('a')
  await until('executed: noted second')
  press('q')
  await closed
  expect(await stateOf(second['approval_id'])).toMatch(/approved|consumed/)
})

test('the inbox edits in an editor, always allows within bounds, and says that a passphrase was wrong', async () => {
  const target = { socket: join(gate.folder, '.sluice/gate.sock') }
  const ask = clientFor(target)
  await ask('POST', '/v1/passphrase', { passphrase: 'correct horse battery' })
  const { screen, press, until } = terminal()
  const editor = (text: string) => text.replace('buy tea', 'buy coffee')
  const closed = runInbox({ ask, follow: followFor(target) }, screen, { editor })
  await until('no pending requests')
  const first = await held('buy tea')
  await until('text: buy tea')
  press('e')
  await until(`${first['approval_id']} was edited; the new request is auth_`)
  await until('text: buy coffee')
  press('w')
  await until('10 calls for 1h')
  press('\r')
  await until('passphrase:')
  press('wrong')
  press('\r')
  await until('that passphrase was wrong')
  press('correct horse battery')
  press('\r')
  await until('executed: noted buy coffee')
  press('q')
  await closed
  expect(JSON.parse((await gate.cli('--json', 'call', 'book__note', '{"text":"buy coffee"}')).out)).toMatchObject({
    status: 'executed',
  })
})

test('the inbox stays open while the gate is away', async () => {
  const target = { socket: join(gate.folder, '.sluice/gate.sock') }
  const ask = clientFor(target)
  let isAway = false
  const { screen, press, until } = terminal()
  const asked: typeof ask = (...request) =>
    isAway ? Promise.resolve({ status: 0, text: '', body: undefined }) : ask(...request)
  const closed = runInbox({ ask: asked, follow: followFor(target) }, screen, {})
  await until('no pending requests')
  const salt = await held('buy salt')
  await until('text: buy salt')
  isAway = true
  const pepper = await held('buy pepper')
  await until('the gate does not respond')
  press('a')
  await until('the decision was not retried')
  isAway = false
  await until('the gate is back')
  expect(await stateOf(salt['approval_id'])).toBe('pending')
  for (const { approval_id } of [salt, pepper]) await gate.cli('deny', approval_id ?? '')
  press('q')
  await closed
})

test('without a terminal, each request is printed once, when it arrives', async () => {
  const child = spawn(process.execPath, [LAUNCHER, '--json', 'approvals', '--watch'], {
    cwd: gate.folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as Record<string, string>
  const one = await held('one')
  expect(await next()).toMatchObject({ approval_id: one['approval_id'] })
  const two = await held('two')
  expect(await next()).toMatchObject({ approval_id: two['approval_id'] })
  child.kill('SIGINT')
  expect(await lines.next()).toMatchObject({ done: true })
})
