import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHECKPOINT_FILE, openKeys, TOKEN_FILE } from './key-folder.ts'
import { resetKeys } from './reset-keys.ts'

test('a lost key is created again, an unusable one is set aside, and a valid one is kept', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'sluice-keys-')), 'keys')
  const open = (fresh: boolean) => openKeys({ folder, fresh, env: {} }).ok
  expect(open(true)).toBe(true)
  const good = readFileSync(join(folder, CHECKPOINT_FILE), 'utf8')

  rmSync(join(folder, TOKEN_FILE))
  expect(open(false)).toBe(false)
  expect(resetKeys(folder, 'aside')).toEqual({ ok: true, value: [] })
  expect(open(false)).toBe(true)

  writeFileSync(join(folder, TOKEN_FILE), '{"v":1,"active":"00"}')
  expect(open(false)).toBe(false)
  expect(resetKeys(folder, 'aside')).toEqual({ ok: true, value: [join(folder, `${TOKEN_FILE}.aside`)] })
  expect(open(false)).toBe(true)
  expect(readFileSync(join(folder, CHECKPOINT_FILE), 'utf8')).toBe(good)
  expect(readdirSync(folder)).toHaveLength(4)
})
