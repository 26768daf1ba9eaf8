import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LAUNCHER } from '../built/built.ts'
import { run, startGate } from '../helpers/with-running-gate.ts'

test('a gate that other machines can reach starts only if somebody has a credential; its owner gets an admin key, and a new one if that is lost', async () => {
  const seen: { code: number | null; err: string; out: string }[] = []
  const gate = await startGate((folder) => {
    writeFileSync(join(folder, 'sluice.yaml'), 'listen: { host: 0.0.0.0, port: 0 }')
    for (const words of [
      ['up', '--trust'],
      ['keys', 'create', 'agent', 'bot'],
    ]) {
      const ran = spawnSync(process.execPath, [LAUNCHER, ...words], { cwd: folder, encoding: 'utf8' })
      seen.push({ code: ran.status, err: ran.stderr, out: ran.stdout })
    }
  })
  try {
    expect(seen[0]).toMatchObject({ code: 1, err: expect.stringContaining('[auth.not_configured]') as string })
    expect(seen[1]).toMatchObject({ code: 0, out: expect.stringMatching(/^sluice_agent_\S+\n$/) as string })
    const url = gate.url.replace('0.0.0.0', '127.0.0.1')
    const sendRaw = async (key: string, path: string) =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key.trim()}` } })).status
    expect(await sendRaw(seen[1]?.out ?? '', '/v1/tools')).toBe(200)
    const file = join(gate.folder, '.sluice/admin.key')
    expect(statSync(file).mode & 0o077).toBe(0)
    const first = readFileSync(file, 'utf8')
    expect(await sendRaw(first, '/v1/keys')).toBe(200)
    // While a gate runs, nobody else can use its folder.
    expect(await gate.cli('keys', 'reset')).toMatchObject({
      code: 1,
      err: expect.stringContaining('gate.running') as string,
    })
    gate.process.kill('SIGTERM')
    await new Promise((done) => gate.process.once('exit', done))
    expect(await gate.cli('keys', 'reset')).toMatchObject({
      code: 0,
      out: expect.stringContaining('admin.key') as string,
    })
    expect(readFileSync(file, 'utf8')).not.toBe(first)
    expect(statSync(file).mode & 0o077).toBe(0)
    const entries = (await run(gate.folder, ['audit', 'verify'])).out
    expect(entries).toContain('the audit verifies')
  } finally {
    await gate.stop()
  }
})
