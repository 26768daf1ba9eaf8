import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { livenessSuite } from '../liveness.suite.ts'
import { joinBoots, type JoinedBoot } from './boot-locks.ts'
import { freshFolders } from './fresh-folders.suite.ts'

const folder = freshFolders()

function joined(place: string): JoinedBoot {
  const boot = joinBoots(place)
  if (!boot.ok) throw new Error(JSON.stringify(boot.problem))
  return boot.value
}

livenessSuite('embedded', {
  create: async () => folder(),
  join: async (address) => joined(address),
  joiner: new URL('./boot-joiner.suite.ts', import.meta.url),
  lease_ms: 1_000,
})

test('files of boots that died long ago are removed, and nothing else', () => {
  const place = folder()
  const [old, young] = [join(place, `${'a'.repeat(16)}.lock`), join(place, `${'b'.repeat(16)}.lock`)]
  const [other, living] = [join(place, 'notes.txt'), joined(place)]
  const livingFile = join(place, `${living.boot}.lock`)
  for (const file of [old, young, other]) writeFileSync(file, '')
  for (const file of [old, other, livingFile]) utimesSync(file, 1, 1)
  const next = joined(place)
  expect(readdirSync(place).sort()).toEqual(
    [`${'b'.repeat(16)}.lock`, 'notes.txt', `${living.boot}.lock`, `${next.boot}.lock`].sort(),
  )
  living.leave()
  next.leave()
  expect(readdirSync(place).sort()).toEqual([`${'b'.repeat(16)}.lock`, 'notes.txt'])
})

test('a folder that cannot be created is reported as such', () => {
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  expect(joinBoots(join(file, 'boots'))).toMatchObject({ ok: false, problem: { code: 'data.unusable' } })
})
