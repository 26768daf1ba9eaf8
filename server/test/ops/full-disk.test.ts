import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { runGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { BOOK_TOOLS, effectsIn } from '../helpers/with-gate.ts'

/** A real file system that is full, under a real gate: what was acknowledged is kept, and the gate continues when there is room. */
const BALLAST = 6_000_000
const POLICY = { rules: [{ id: 'notes', effect: 'allow', match: { tool: 'book__note' }, says: 'notes run' }] }

function mounted(disk: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'none', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const note = (gate: RunningGate, key: string, text: string) =>
  gate.http('POST', '/v1/calls', key, { tool: 'book__note', args: { text } })

/** Fills the disk with calls. Returns the ids of acknowledged calls and the first refusal. */
async function fill(gate: RunningGate, key: string) {
  const acknowledged: string[] = []
  for (let number = 0; number < 2000; number += 1) {
    const { status, body } = await note(gate, key, `${number} ${'x'.repeat(40_000)}`)
    if (status !== 200) return { acknowledged, status, body }
    acknowledged.push(String(body['call_id']))
  }
  throw new Error('the disk is not full')
}

test('with a full disk, calls are rejected with a reason, nothing acknowledged is lost, and calls run again when there is space', async ({
  skip,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-full-'))
  const disk = mkdtempSync(join(tmpdir(), 'sluice-disk-'))
  if (!mounted(disk)) skip('no file system can be mounted here')
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(BALLAST))
  const book = {
    command: 'node',
    args: [resolve(import.meta.dirname, '../tool-servers/effects.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: BOOK_TOOLS,
  }
  const config = { listen: { port: 0 }, data: join(disk, 'data'), policy: POLICY, servers: { book } }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  let gate = await runGate(folder)
  try {
    const key = await gate.key('admin', 'root', 'root')
    const { acknowledged, status, body } = await fill(gate, key)
    expect(acknowledged.length).toBeGreaterThan(10)
    expect([status, body['code'], body['detail']]).toEqual([
      503,
      'audit.unavailable',
      expect.stringContaining('free disk space') as unknown,
    ])
    // A call that was refused did not run: at most the last one ran and could not be recorded as executed.
    expect(effectsIn(folder).length - acknowledged.length).toBeLessThanOrEqual(1)

    rmSync(join(disk, 'ballast'))
    await expect.poll(async () => (await note(gate, key, 'after')).status, { timeout: 60_000, interval: 200 }).toBe(200)
    expect((await gate.cli('audit', 'verify')).out).toContain('the audit verifies')

    // Killed and started again: every call that was acknowledged is there.
    gate.process.kill('SIGKILL')
    await new Promise((done) => gate.process.once('exit', done))
    gate = await runGate(folder)
    for (const id of acknowledged)
      expect((await gate.http('GET', `/v1/calls/${id}`, key)).body).toMatchObject({ status: 'executed' })
    expect((await gate.cli('audit', 'verify')).code).toBe(0)
  } finally {
    await gate.stop()
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true, force: true })
  }
}, 120_000)
