import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { lockFolder } from '../../adapters/stores/sqlite/lock-folder.ts'
import { LAUNCHER } from '../../../test/built/built.ts'
import { configure, run, runGate } from '../../../test/helpers/with-running-gate.ts'

const temporary = () => mkdtempSync(join(tmpdir(), 'sluice-starting-'))

test('commands that are run while a gate starts wait for it', async () => {
  const folder = temporary()
  configure(folder)
  const starting = runGate(folder)
  while (!existsSync(join(folder, '.sluice', 'gate.lock'))) await sleep(5)
  const [key, tools] = await Promise.all([
    run(folder, ['keys', 'create', 'agent', 'early']),
    run(folder, ['tools', '--json']),
  ])
  const gate = await starting
  try {
    expect(key).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^sluice_agent_/) })
    expect(tools).toMatchObject({ code: 0, err: '', out: expect.stringContaining('book__') })
  } finally {
    await gate.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a key is created once another process has released the data folder', async () => {
  const folder = temporary()
  expect(await run(folder, ['keys', 'create', 'agent', 'first', '--new-folder'])).toMatchObject({ code: 0 })
  const lock = lockFolder(join(folder, '.sluice'))
  if (!lock.ok) throw new Error(lock.problem.code)
  const created = run(folder, ['keys', 'create', 'agent', 'second'])
  await sleep(3_000)
  lock.value.release()
  expect(await created).toMatchObject({ code: 0, out: expect.stringMatching(/^sluice_agent_/) })
  rmSync(folder, { recursive: true, force: true })
})

test('a gate whose port is in use starts no tool server, and says which port it is and what to do', async () => {
  const folder = temporary()
  const started = join(folder, 'started')
  const script = `require('node:fs').writeFileSync(${JSON.stringify(started)}, ''); process.stdin.resume()`
  const servers = { book: { command: process.execPath, args: ['-e', script] } }
  const other = createServer()
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  const { port } = other.address() as AddressInfo
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port }, servers }))
  try {
    const { code, err } = await run(folder, ['up', '--trust'])
    expect(code).toBe(1)
    expect(err).toContain(`address: 127.0.0.1:${port}`)
    expect(err).toContain('because: another program uses this port (EADDRINUSE)')
    expect(err).toContain('`listen.port` or `--port`')
    expect(existsSync(started)).toBe(false)
  } finally {
    other.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

const TALKS = resolve(import.meta.dirname, '../../../test/tool-servers/starting.ts')
const IN_A_TERMINAL = ['script', '-qfec', `${process.execPath} ${LAUNCHER} up --trust`, '/dev/null']
test.each<readonly [string, readonly string[]]>([
  ['a pipe', ['sh', '-c', `exec ${process.execPath} ${LAUNCHER} up --trust 2>&1`]],
  ...(existsSync('/usr/bin/script') ? [['a terminal', IN_A_TERMINAL] as const] : []),
])('what a first start says is in one piece in %s, however much a tool server writes meanwhile', async (_, command) => {
  const folder = temporary()
  const args = ['-e', `setInterval(() => console.error('talking'), 1); import(${JSON.stringify(TALKS)})`]
  writeFileSync(
    join(folder, 'sluice.yaml'),
    JSON.stringify({ listen: { port: 0 }, servers: { book: { command: process.execPath, args } } }),
  )
  const [program = '', ...words] = command
  const started = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((done) => started.once('exit', done))
  let seen = ''
  try {
    for await (const chunk of started.stdout) {
      seen += String(chunk)
      if (/is up at[^]*talking[^]*\n/.test(seen)) break
    }
    expect(seen).toContain('talking')
    expect(seen.replaceAll('\r', '')).toMatch(/^sluice is up at \S+, 2 tools, data in .*\nyour admin key is in .*\n/m)
  } finally {
    started.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
})
