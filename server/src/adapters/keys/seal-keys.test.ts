import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSealing, readMasterKey } from './seal-keys.ts'

const MASTER = Buffer.alloc(32, 7)
const NOVEMBER = Date.UTC(2026, 10, 16)

test('a sealed text can be opened only in its place, with its key', () => {
  const sealing = createSealing(MASTER, () => NOVEMBER)
  const sealed = sealing.seal('pay 5 € to \u2028 ana', 'calls call_1')
  expect(sealed).not.toContain('ana')
  expect(sealing.open(sealed, 'calls call_1')).toBe('pay 5 € to \u2028 ana')
  expect(() => sealing.open(sealed, 'calls call_2')).toThrow('cannot be opened')
  const other = createSealing(Buffer.alloc(32, 8), () => NOVEMBER)
  expect(() => other.open(sealed, 'calls call_1')).toThrow('cannot be opened')
  for (let at = 0; at < sealed.length; at += 7) {
    const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    expect(() => sealing.open(flipped, 'calls call_1'), `character ${at}`).toThrow()
  }
})

test('each month has its own data key, and other nodes open what it sealed', () => {
  let now = NOVEMBER
  const sealing = createSealing(MASTER, () => now)
  const wrapped = () => sealing.seal('x', 'p').split('.')[1]
  const november = wrapped()
  expect(wrapped()).toBe(november)
  const sealed = sealing.seal('of november', 'p')
  now = Date.UTC(2026, 11, 1)
  expect(wrapped()).not.toBe(november)
  expect(sealing.open(sealed, 'p')).toBe('of november')
  expect(createSealing(MASTER, () => now).open(sealed, 'p')).toBe('of november')
})

test('the master key comes from a file, from a command, or from beside the keys; a missing one is never replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-seal-'))
  try {
    const file = join(folder, 'master')
    writeFileSync(file, `${'ab'.repeat(32)}\n`)
    const expected = { ok: true, value: Buffer.alloc(32, 0xab) }
    expect(readMasterKey({ file })).toEqual(expected)
    const printing = `process.stdout.write('ab'.repeat(32))`
    expect(readMasterKey({ command: [process.execPath, '-e', printing] })).toEqual(expected)
    writeFileSync(file, 'short')
    for (const source of [{ file }, { file: join(folder, 'none') }, { command: ['false'] }] as const)
      expect(readMasterKey(source)).toMatchObject({ ok: false, problem: { code: 'key.absent' } })
    const keys = join(folder, 'keys')
    expect(readMasterKey({ folder: keys, mayMake: false })).toMatchObject({ ok: false })
    const made = readMasterKey({ folder: keys, mayMake: true })
    expect(made).toMatchObject({ ok: true })
    expect(readMasterKey({ folder: keys, mayMake: false })).toEqual(made)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
