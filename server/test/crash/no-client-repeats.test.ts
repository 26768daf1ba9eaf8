import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test, vi } from 'vitest'
import type { ProbePoint } from '../../src/kernel/ports/runtime.ts'
import { LAUNCHER } from '../built/built.ts'
import { type Ran } from '../helpers/host-command.ts'
import { run } from '../helpers/with-running-gate.ts'
import { BOOK_TOOLS, effectsIn } from '../helpers/with-gate.ts'
import { rpc } from '../helpers/send-raw.ts'
import { IS_WHOLE, someOf } from '../some-of.ts'
import { dyingWords } from './dying.ts'

/** The point where the gate dies, and what its client prints afterwards. */
type Death = { readonly at: ProbePoint; readonly ran: number; readonly says: string; readonly code: number }

const DEATHS: readonly Death[] = [
  { at: 'intent.before', ran: 0, says: 'never recorded', code: 1 },
  { at: 'intent.after', ran: 0, says: 'unknown', code: 6 },
  { at: 'upstream.before', ran: 0, says: 'unknown', code: 6 },
  { at: 'upstream.after', ran: 1, says: 'unknown', code: 6 },
  { at: 'outcome.before', ran: 1, says: 'unknown', code: 6 },
  { at: 'outcome.after', ran: 1, says: 'executed', code: 0 },
]

/** Before, during and after the call, for the clients that share what the first one tests at every point. */
const SOME = DEATHS.filter(({ at }) => ['intent.before', 'upstream.after', 'outcome.after'].includes(at))

const POLICY = { rules: [{ id: 'direct', effect: 'allow', match: { tool: 'book__slow_note' }, says: 'runs at once' }] }

function configure(folder: string): void {
  const book = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../tool-servers/effects.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: BOOK_TOOLS,
  }
  const config = { listen: { port: 0 }, mcp: { surface: 'passthrough' }, policy: POLICY, servers: { book } }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
}

/** Who starts the gate again after it died: a service manager, or only the client, as `sluice mcp` does. */
type Restart = 'service' | 'client'

/** Runs a client against a gate that dies at a point. `back` resolves when a service manager has started it again. */
async function whileDying(
  at: ProbePoint,
  client: (folder: string, gate: number, back: Promise<unknown>) => Promise<void>,
  restart: Restart = 'service',
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-repeat-'))
  configure(folder)
  const child = spawn(process.execPath, dyingWords(join(import.meta.dirname, 'dying-up.ts'), { at }, undefined), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (complaints += text))
  const ended = new Promise((done) => child.once('close', done))
  let isOver = false
  const back = restart === 'client' ? ended : ended.then(() => startAgain(folder, () => isOver))
  try {
    await Promise.race([
      new Promise((done) => createInterface({ input: child.stdout }).on('line', (line) => done(lines.push(line)))),
      ended,
    ])
    if (lines.length === 0) throw new Error(`the gate ended with ${child.exitCode ?? child.signalCode}: ${complaints}`)
    await client(folder, child.pid ?? 0, back)
    await ended
    if (at !== NEVER) expect(lines.at(-1)).toBe(`died at ${at}, time 1`)
  } finally {
    isOver = true
    child.kill('SIGKILL')
    stopStarted(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** As a service manager does, as often as it ends. Resolves when it is up. */
function startAgain(folder: string, isOver: () => boolean): Promise<unknown> {
  if (isOver()) return Promise.resolve()
  const words = ['up', '--config', join(folder, 'sluice.yaml')]
  const child = spawn(process.execPath, [LAUNCHER, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const again = new Promise((done) => child.once('close', () => done(startAgain(folder, isOver))))
  return Promise.race([again, new Promise((done) => createInterface({ input: child.stdout }).once('line', done))])
}

/** A gate that a client started in the background is identified by the folder in its command line. */
function stopStarted(folder: string): void {
  for (const pid of startedIn(folder)) killed(pid)
}

function startedIn(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const words = readOr(`/proc/${pid}/cmdline`).split('\0')
      return words.includes('up') && words.some((word) => word.startsWith(folder))
    })
    .map(Number)
}

/** It may have ended by itself meanwhile. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    return
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Whether a process, or one that it started, is connected to the gate's socket. */
function hasSocketTo(pid: number, folder: string): boolean {
  const of = (one: number): readonly number[] => [
    one,
    ...readOr(`/proc/${one}/task/${one}/children`).trim().split(' ').filter(Boolean).map(Number).flatMap(of),
  ]
  const isQueued =
    readOr('/proc/net/unix')
      .split('\n')
      .filter((line) => line.includes(join(folder, '.sluice/gate.sock'))).length > 1
  return isQueued && of(pid).length > 0
}

const SLOW = '{"text":"x"}'
/** No call of these tests comes here: the gate is killed from outside. */
const NEVER: ProbePoint = 'decision.before'

const CALL = rpc('tools/call', { name: 'book__slow_note', arguments: { text: 'x' } }, 1)
const DOORS = [
  {
    door: 'HTTP',
    path: '/v1/calls',
    body: { tool: 'book__slow_note', args: { text: 'x' } },
    key: { 'idempotency-key': 'mine' },
  },
  { door: 'MCP', path: '/mcp', body: CALL, key: { 'idempotency-key': 'mine' } },
  {
    door: 'MCP, with the key in `_meta`',
    path: '/mcp',
    body: { ...CALL, params: { ...CALL.params, _meta: { 'sluice/idempotency-key': 'mine' } } },
    key: {},
  },
]

/** Posts to the gate's socket as its admin; rejects if the gate breaks off. */
function post(folder: string, path: string, body: object, more: Readonly<Record<string, string>>): Promise<string> {
  const key = readFileSync(join(folder, '.sluice/admin.key'), 'utf8').trim()
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  }
  return new Promise((done, failed) => {
    const sent = request({ socketPath: join(folder, '.sluice/gate.sock'), path, method: 'POST', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => done(text))
      answer.on('error', failed)
    })
    sent.on('error', failed)
    sent.end(JSON.stringify(body))
  })
}

describe.skipIf(process.platform !== 'linux')('a client whose gate is killed', () => {
  test.each(someOf(DEATHS, 5))(
    'at $at: `sluice call` says $says and the tool ran $ran times',
    ({ at, ran, says, code }) =>
      whileDying(at, async (folder) => {
        const result = await run(folder, ['call', 'book__slow_note', SLOW, '--raw'])
        expect(effectsIn(folder)).toHaveLength(ran)
        expect(result.err).toContain('the gate stopped while the call was running')
        expect(result.err).toContain(`outcome: ${says}`)
        expect(result.err).toContain('was not retried')
        expect(result.code).toBe(code)
        if (says === 'executed') expect(result.out).toBe('noted slowly\n')
      }),
  )

  test.skipIf(!IS_WHOLE).each(SOME)('at $at: `sluice run` lets the tool run at most once', ({ at }) =>
    whileDying(at, async (folder) => {
      const result: Ran = await run(folder, ['run', 'slow note', '--skill', 'book__slow_note', '--args', SLOW])
      expect(effectsIn(folder).length).toBeLessThanOrEqual(1)
      expect(result.err).toContain('the gate stopped while the call was running')
      expect(result.err).toContain('was not retried')
      expect(result.out).toContain('receipt: run_')
    }),
  )

  test.each(someOf(SOME, 3))('at $at: `sluice mcp` says $says and the tool ran $ran times', ({ at, ran, says }) =>
    whileDying(
      at,
      async (folder) => {
        const call = rpc('tools/call', { name: 'book__slow_note', arguments: { text: 'x' } }, 1)
        const result = await run(folder, ['mcp'], `${JSON.stringify(call)}\n`)
        expect(effectsIn(folder)).toHaveLength(ran)
        const { error } = JSON.parse(result.out) as { error: { message: string; data: Record<string, unknown> } }
        expect(error.data).toMatchObject({ code: 'gate.broke_off', outcome: says })
        expect(error.message).toContain('was not retried')
      },
      'client',
    ),
  )

  const OWN = ['call', 'book__slow_note', SLOW, '--idempotency-key', 'mine']
  test.each(someOf(SOME, 3))(
    'at $at: the same command again with its own key runs at most once in total',
    ({ at, ran, says }) =>
      whileDying(at, async (folder) => {
        const first = await run(folder, OWN)
        expect(first.err).toContain(`outcome: ${says}`)
        expect(effectsIn(folder)).toHaveLength(ran)
        const second = await run(folder, ['--json', ...OWN])
        expect(effectsIn(folder)).toHaveLength(1)
        const { status, code } = JSON.parse(second.out || second.err) as { status?: string; code?: string }
        expect(status ?? code).toMatch(says === 'unknown' ? /unknown/ : /executed/)
      }),
  )

  const OWN_RUN = ['run', 'slow note', '--skill', 'book__slow_note', '--args', SLOW, '--idempotency-key', 'mine']
  test.skipIf(!IS_WHOLE).each(DEATHS)(
    'at $at: `sluice run` again with its own key runs at most once in total, and reports what is known',
    ({ at, ran, says }) =>
      whileDying(at, async (folder) => {
        const first = await run(folder, OWN_RUN)
        expect(first.err).toContain('the call was not retried')
        if (says === 'unknown') expect(first.code).toBe(6)
        expect(effectsIn(folder).length).toBeLessThanOrEqual(1)
        const second = await run(folder, ['--json', ...OWN_RUN])
        // A run continues after a restart, so a call that was never recorded is made then, once.
        expect(effectsIn(folder)).toHaveLength(says === 'never recorded' ? 1 : ran)
        if (says === 'unknown') expect(second.code).toBe(6)
        const third = await run(folder, ['--json', ...OWN_RUN])
        expect(third.code).toBe(second.code)
        expect(effectsIn(folder)).toHaveLength(says === 'never recorded' ? 1 : ran)
      }),
  )

  test.each(DEATHS.flatMap((death) => DOORS.map((door) => ({ ...death, ...door }))).slice(IS_WHOLE ? 0 : -1))(
    'at $at: $door with the same key again runs at most once in total',
    ({ at, ran, says, path, body, key }) =>
      whileDying(at, async (folder, _, back) => {
        await expect(post(folder, path, body, key)).rejects.toThrow()
        expect(effectsIn(folder)).toHaveLength(ran)
        await back
        const asked = await run(folder, ['--json', 'status', '--idempotency-key', 'mine', '--wait', '30'])
        const known = JSON.parse(asked.out || asked.err) as { status?: string; code?: string; outcome?: string }
        if (says === 'never recorded') expect(known.code).toBe('call.unknown')
        else expect(known.outcome ?? known.status).toBe(says)
        const result = await Promise.all(Array.from({ length: 5 }, () => post(folder, path, body, key)))
        expect(effectsIn(folder)).toHaveLength(says === 'unknown' ? ran : 1)
        if (says !== 'unknown') expect(result.some((text) => text.includes('noted slowly'))).toBe(true)
        else expect(result.filter((text) => text.includes('noted slowly'))).toEqual([])
      }),
  )

  /** The connection waits in the queue of a process that is suspended. */
  test.each([{ words: ['call', 'book__slow_note', SLOW] }, { words: OWN }].slice(0, IS_WHOLE ? 2 : 1))(
    'before it accepts the connection: `sluice $words` runs nothing, and says so',
    ({ words }) =>
      whileDying(NEVER, async (folder, gate) => {
        process.kill(gate, 'SIGSTOP')
        const client = spawn(process.execPath, [LAUNCHER, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
        let err = ''
        client.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
        const ended = new Promise<number | null>((done) => client.once('close', done))
        await vi.waitFor(() => expect(hasSocketTo(client.pid ?? 0, folder)).toBe(true), 60_000)
        process.kill(gate, 'SIGKILL')
        const code = await ended
        expect(effectsIn(folder).length).toBeLessThanOrEqual(1)
        // Either it was certain that nothing was sent, and a new gate was asked, or the client asked for the outcome.
        if (code === 0) expect(effectsIn(folder)).toHaveLength(1)
        else expect(err).toMatch(/outcome: never recorded; the call was not retried/)
      }),
  )

  test.skipIf(!IS_WHOLE).each(SOME)('at $at, and again while it restarts: the tool ran $ran times', ({ at, ran }) =>
    whileDying(at, async (folder) => {
      const ran_ = run(folder, ['call', 'book__slow_note', SLOW])
      let kills = 0
      const watch = setInterval(() => {
        for (const pid of kills < 3 ? startedIn(folder) : []) {
          kills += 1
          killed(pid)
        }
      }, 50)
      const result = await ran_
      clearInterval(watch)
      expect(kills).toBeGreaterThan(0)
      expect(effectsIn(folder)).toHaveLength(ran)
      expect(result.err).toContain('was not retried')
      expect(result.err).toMatch(/outcome: \w+/)
    }),
  )

  test('at decision.after: `sluice approve` says that the decision was not sent again', () =>
    whileDying('decision.after', async (folder) => {
      const held = await run(folder, ['--json', 'call', 'book__note', SLOW])
      const { approval_id } = JSON.parse(held.out) as { approval_id: string }
      const result = await run(folder, ['approve', approval_id])
      expect(result.err).toContain('[gate.broke_off]')
      expect(result.err).toContain('the request was not retried')
      expect(result.code).toBe(6)
    }))
})
