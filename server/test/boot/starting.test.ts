import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { lockFolder } from '../../src/stores/sqlite/lock-folder.ts'
import { configure, run, runGate } from '../doors/with-running-gate.ts'

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
