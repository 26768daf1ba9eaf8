import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import type { AuditEntry } from '../../../src/kernel/contract/audit.ts'
import { rehashed } from '../../../src/kernel/audit/test/histories.suite.ts'
import { run, runGate } from '../../helpers/with-running-gate.ts'
import { BOOK_TOOLS, effectsIn, until } from '../../helpers/with-gate.ts'
import { forgedRows } from './forged-rows-scenario.ts'
import type { Scenario } from './scenario.ts'
import { toolServer } from './with-published-gate.ts'

/** The book runs slow notes at once; the slow server waits in its check until it is released. */
function configure(folder: string): void {
  const env = { EFFECTS: join(folder, 'effects.txt') }
  const check = { tool: 'is_ready', args: {}, expect: { path: 'ready', equals: true } }
  const servers = {
    book: { command: 'node', args: [toolServer('effects.ts')], env, tools: BOOK_TOOLS },
    slow: {
      command: 'node',
      args: [toolServer('waiting.ts')],
      env,
      tools: { act: { effects: ['write'], check }, is_ready: { effects: ['read'] } },
    },
  }
  const rules = [{ id: 'run', effect: 'allow', match: { tool: ['book__slow_note', 'slow__act'] }, says: 'runs' }]
  const config = { listen: { port: 0 }, audit: { checkpoint_seconds: 1 }, policy: { rules }, servers }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
}

async function withGate(launcher: string, use: (gate: Awaited<ReturnType<typeof runGate>>) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-published-'))
  configure(folder)
  const gate = await runGate(folder, ['up', '--trust'], launcher)
  try {
    await use(gate)
  } finally {
    // A scenario may have started another gate in the folder.
    await gate.cli('down')
    await gate.stop()
  }
}

const killedGate = (launcher: string) =>
  withGate(launcher, async (gate) => {
    const { folder } = gate
    const called = gate.cli('call', 'book__slow_note', '{"text":"x","ms":60000}', '--idempotency-key', 'once')
    await until(() => effectsIn(folder).length === 1)
    gate.process.kill('SIGKILL')
    const result = await called
    expect([result.code, result.err]).toEqual([6, expect.stringContaining('was not retried')])
    // The next gate does not run it either, nor does the same request under its key.
    const next = await runGate(folder, ['up', '--trust'], launcher)
    const again = await next.cli('call', 'book__slow_note', '{"text":"x","ms":60000}', '--idempotency-key', 'once')
    expect(`${again.out}${again.err}`).toContain('unknown')
    expect(effectsIn(folder)).toHaveLength(1)
    expect((await next.cli('audit', 'verify')).code).toBe(0)
  })

/** The first process believes that it is an old Node, so it stays in front of the gate as its launcher. */
const OLD_NODE =
  '--import=data:text/javascript,delete%20process.env.NODE_OPTIONS;delete%20process.execve;' +
  "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})"

async function killedLauncher(launcher: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-published-'))
  configure(folder)
  const env = { ...process.env, NODE_OPTIONS: OLD_NODE }
  const front = spawn(process.execPath, [launcher, 'up', '--trust'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(front, 'close') // closes when the gate, which holds the same output, has ended too
  const [greeting] = (await once(createInterface({ input: front.stdout }), 'line')) as [string]
  const port = Number(/:(\d+),/.exec(greeting)?.[1])
  expect(await answers(port)).toBe(true)
  front.kill('SIGKILL')
  await ended
  expect(await answers(port)).toBe(false)
  rmSync(folder, { recursive: true, force: true })
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done((socket.destroy(), true)))
    socket.on('error', () => done(false))
  })
}

/** Deletes the signed checkpoints, gives the first entry another actor and hashes everything again. */
function rewriteHistory(folder: string): void {
  const db = new DatabaseSync(join(folder, '.sluice/ledger.sqlite'), { timeout: 60_000 })
  db.exec('BEGIN IMMEDIATE; DELETE FROM checkpoints')
  let before: string | undefined
  for (const { place, hash, body } of db.prepare('SELECT place, hash, body FROM audit ORDER BY place').all()) {
    const entry = { ...(JSON.parse(String(body)) as AuditEntry), hash: String(hash) }
    const change = before === undefined ? { actor: 'agent:somebody-else' } : { prev_hash: before }
    const { hash: next, ...rest } = rehashed(entry, change)
    db.prepare('UPDATE audit SET hash = ?, body = ? WHERE place = ?').run(next, JSON.stringify(rest), Number(place))
    before = next
  }
  db.prepare("UPDATE heads SET hash = ? WHERE stream = 'main'").run(before ?? '')
  db.exec('COMMIT')
  const left = () => Number(db.prepare('SELECT count(*) AS n FROM checkpoints').get()?.['n'])
  expect(left()).toBe(0)
  db.close()
}
function checkpointsIn(folder: string): number {
  const db = new DatabaseSync(join(folder, '.sluice/ledger.sqlite'), { timeout: 60_000 })
  const count = Number(db.prepare('SELECT count(*) AS n FROM checkpoints').get()?.['n'])
  db.close()
  return count
}

const rewrittenHistory = (launcher: string) =>
  withGate(launcher, async (gate) => {
    await gate.key('agent', 'a', 'ana')
    await until(() => checkpointsIn(gate.folder) > 0)
    rewriteHistory(gate.folder)
    await gate.cli('call', 'book__look', '{}')
    await until(async () => (await fetch(`${gate.url}/readyz`)).status === 503)
    expect(checkpointsIn(gate.folder)).toBe(0)
    expect((await gate.cli('audit', 'verify')).code).not.toBe(0)
    const refused = await gate.cli('--json', 'call', 'book__slow_note', '{"text":"x"}')
    expect([refused.code, refused.out]).toEqual([
      expect.toSatisfy((code) => code !== 0),
      expect.stringContaining('audit.'),
    ])
    expect(effectsIn(gate.folder)).toHaveLength(0)
    // Nor does a gate that starts on it sign what it finds.
    gate.process.kill('SIGKILL')
    await once(gate.process, 'exit')
    const next = await runGate(gate.folder, ['up', '--trust'], launcher).catch(() => undefined)
    expect((await gate.cli('audit', 'verify')).code).not.toBe(0)
    expect(checkpointsIn(gate.folder)).toBe(0)
    next?.process.kill('SIGKILL')
  })

/** What an admin can have acknowledged while a call of the agent waits for its check. */
const acknowledged =
  (stop: (gate: Awaited<ReturnType<typeof runGate>>, key_id: string) => Promise<{ code: number | null }>) =>
  (launcher: string) =>
    withGate(launcher, async (gate) => {
      const created = JSON.parse((await gate.cli('--json', 'keys', 'create', 'agent', 'a')).out) as Record<
        string,
        string
      >
      const call = gate.http('POST', '/v1/calls', created['key'], { tool: 'slow__act', args: { text: 'x' } })
      await until(() => effectsIn(gate.folder).includes('is_ready'))
      expect((await stop(gate, created['key_id'] ?? '')).code).toBe(0)
      writeFileSync(join(gate.folder, 'effects.txt.go'), '')
      expect(await call).toMatchObject({ status: 403, body: { code: 'call.blocked' } })
      expect(effectsIn(gate.folder)).not.toContain('act')
    })

const secondProcess = (launcher: string) =>
  withGate(launcher, async (gate) => {
    const second = await run(gate.folder, ['up', '--trust'], undefined, { launcher })
    expect(second.code).not.toBe(0)
    expect((await gate.cli('call', 'book__look', '{}')).code).toBe(0)
  })

export const PROCESS_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a call whose gate is killed under `sluice call` runs once, and is not sent again',
    run: killedGate,
  },
  { name: 'if a launcher is killed, its gate ends too, and the port is free', run: killedLauncher },
  {
    name: 'a gate whose audit was rewritten with SQL signs nothing and runs nothing',
    run: rewrittenHistory,
  },
  {
    name: 'a key and an approval that were written with SQL give no access and run nothing, also after a restart',
    run: (launcher) => withGate(launcher, (gate) => forgedRows(gate, launcher)),
  },
  {
    name: 'a pause that was acknowledged during a slow check stops the call',
    run: acknowledged((gate) => gate.cli('pause', 'all', '--reason', 'stop')),
  },
  {
    name: 'a revocation that was acknowledged during a slow check stops the call',
    run: acknowledged((gate, key_id) => gate.cli('keys', 'revoke', key_id)),
  },
  { name: 'a second gate on the same folder does not start', run: secondProcess },
]
