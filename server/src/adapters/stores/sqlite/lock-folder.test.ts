import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { startChild } from '../../../../test/built/start-child.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { lockFolder } from './lock-folder.ts'

const folder = freshFolders()
const HOLDER = fileURLToPath(new URL('./lock-holder.suite.ts', import.meta.url))

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const kill of running.splice(0)) await kill()
})

async function startHolder(place: string): Promise<{ said: string; kill: () => Promise<void> }> {
  const child = startChild(HOLDER, [place])
  running.push(child.kill)
  return { said: await child.line(), kill: child.kill }
}

test('one process has the folder until it is killed, then another can lock it', async () => {
  const place = join(folder(), 'data')
  const first = await startHolder(place)
  expect(first.said).toBe('locked')
  const second = await startHolder(place)
  expect(second.said).toBe('gate.running')
  expect(lockFolder(place)).toEqual({ ok: false, problem: { code: 'gate.running', about: { folder: place } } })
  await second.kill()
  // The loser did not affect the holder.
  expect(lockFolder(place).ok).toBe(false)
  await first.kill()
  const third = await startHolder(place)
  expect(third.said).toBe('locked')
  await third.kill()
})

test('within a process the folder is locked once, and is free again when released', async () => {
  const place = folder()
  const first = lockFolder(place)
  expect(first.ok).toBe(true)
  expect(lockFolder(place)).toMatchObject({ ok: false, problem: { code: 'gate.running' } })
  const outside = await startHolder(place)
  expect(outside.said).toBe('gate.running')
  await outside.kill()
  if (first.ok) first.value.release()
  const second = lockFolder(place)
  expect(second.ok).toBe(true)
  // A stale handle does not release another's lock.
  if (first.ok) first.value.release()
  expect(lockFolder(place).ok).toBe(false)
  if (second.ok) second.value.release()
})

test('folders are locked independently', () => {
  const [left, right] = [lockFolder(folder()), lockFolder(folder())]
  expect([left.ok, right.ok]).toEqual([true, true])
  for (const lock of [left, right]) if (lock.ok) lock.value.release()
})

test('a folder that cannot be created is reported as such', () => {
  const file = join(folder(), 'a file')
  writeFileSync(file, '')
  expect(lockFolder(file)).toMatchObject({ ok: false, problem: { code: 'data.unusable', about: { folder: file } } })
})
