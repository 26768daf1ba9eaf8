import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LAUNCHER } from '../../../../test/built/built.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { rpc } from '../../../../test/helpers/send-raw.ts'

type Said = { id?: unknown; result?: { content?: { text: string }[] }; error?: { data?: { code?: string } } }

let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())

/** `sluice mcp` as a client starts it. */
function openBridge(...words: readonly string[]) {
  const child = spawn(process.execPath, [LAUNCHER, 'mcp', ...words], {
    cwd: gate.folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said: Said[] = []
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line) as Said))
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return {
    said,
    ended,
    say: (...lines: readonly unknown[]) =>
      void child.stdin.write(
        lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
      ),
    end: () => child.stdin.end(),
    async answerTo(id: unknown): Promise<Said> {
      await until(() => said.some((one) => one.id === id))
      return said.find((one) => one.id === id) ?? {}
    },
  }
}

const look = (id: number | string) => rpc('tools/call', { name: 'book__look', arguments: {} }, id)
const hello = rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} }, 'hello')

test('a hundred calls at once get a hundred answers, each under its own id', async () => {
  const bridge = openBridge()
  bridge.say(hello, ...Array.from({ length: 100 }, (_, id) => look(id)))
  bridge.end()
  expect(await bridge.ended).toBe(0)
  const ids = bridge.said.map(({ id }) => id).filter((id) => id !== 'hello')
  expect(ids.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 100 }, (_, id) => id))
  expect(bridge.said.every(({ result }) => result !== undefined)).toBe(true)
})

test('invalid and too large messages are rejected with their id, or without one', async () => {
  const bridge = openBridge()
  bridge.say('{', '   ', [look(1)], rpc('tools/call', { name: 'x'.repeat(1_100_000) }, 'large'))
  bridge.end()
  await bridge.ended
  const codes = bridge.said.map(({ id, error }) => `${String(id)} ${error?.data?.code}`)
  expect(codes.toSorted()).toEqual(['large request.too_large', 'null mcp.batch_refused', 'null request.not_ijson'])
})

test('a revoked key is rejected under the id of the request', async () => {
  const wrong = spawn(process.execPath, [LAUNCHER, '--key', 'sluice_agent_nonsense', 'mcp'], { cwd: gate.folder })
  let out = ''
  wrong.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  // A child that ends before it has read its input is reported by its exit code.
  wrong.stdin.on('error', () => undefined)
  wrong.stdin.end(`${JSON.stringify(look(7))}\n`)
  await new Promise((done) => wrong.once('close', done))
  expect(JSON.parse(out)).toMatchObject({ id: 7, error: { data: { code: 'auth.invalid' } } })
})

test.skipIf(process.platform !== 'linux')(
  'a gate that has stopped is started again by the next call, in the same session',
  async () => {
    // Another caller, because the hundred equal reads above count as a loop of the first one.
    const bridge = openBridge('--agent', 'fresh')
    bridge.say(hello, look(1))
    await bridge.answerTo(1)
    gate.process.kill('SIGKILL')
    await new Promise((done) => gate.process.once('exit', done))
    bridge.say(look(2))
    expect((await bridge.answerTo(2)).result?.content?.[0]?.text).toBe('nothing to see')
    bridge.end()
    await bridge.ended
    stopStarted(gate.folder)
  },
)

/** The gate that the bridge started is not a child process; it is found by the folder in its command line. */
function stopStarted(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const words = readOr(`/proc/${pid}/cmdline`).split('\0')
    if (words.includes('up') && words.includes(join(folder, '.sluice'))) process.kill(Number(pid), 'SIGKILL')
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
