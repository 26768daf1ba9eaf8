import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { until } from '../../test/helpers/with-gate.ts'
import { policyFiles, readPolicy } from './policy-files.ts'

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sluice-policy-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const at = (...names: string[]) => join(folder, ...names)
const config = (text: string) => writeFileSync(at('sluice.yaml'), text)

describe('the policy of a configuration', () => {
  test('is in its own file, in the configuration, or the default', () => {
    writeFileSync(at('p.yaml'), 'preset: strict')
    config('policy: ./p.yaml')
    expect(readPolicy(at('sluice.yaml'))).toEqual({ ok: true, value: { text: 'preset: strict', file: at('p.yaml') } })
    config('policy: { preset: strict }')
    expect(readPolicy(at('sluice.yaml'))).toMatchObject({ value: { at: ['policy'], file: at('sluice.yaml') } })
    config('dev: true')
    expect(readPolicy(at('sluice.yaml'))).toMatchObject({ value: { text: 'preset: careful\n' } })
  })

  test('has the environment`s overrides, and the rest is unchanged', () => {
    config('policy:\n  preset: observe\n  rules: []\n')
    process.env['SLUICE_POLICY_PRESET'] = 'strict'
    try {
      const read = readPolicy(at('sluice.yaml'))
      expect(read.ok && parse(read.value.text)).toEqual({ policy: { preset: 'strict', rules: [] } })
    } finally {
      delete process.env['SLUICE_POLICY_PRESET']
    }
  })

  test('that names a missing file is a fault with its place', () => {
    config('dev: true\npolicy: ./p.yaml')
    expect(readPolicy(at('sluice.yaml'))).toMatchObject({
      ok: false,
      faults: [{ file: at('sluice.yaml'), line: 2, column: 9 }],
    })
  })

  test('is never the default one because the file was removed or became empty', () => {
    config('policy: { preset: strict }')
    const source = policyFiles(at('sluice.yaml'))
    expect(source.read().ok).toBe(true)
    config(' \n')
    expect(source.read()).toMatchObject({ ok: false, faults: [{ says: 'the configuration file is missing or empty' }] })
    rmSync(at('sluice.yaml'))
    expect(source.read().ok).toBe(false)
  })
})

describe('watching', () => {
  /** Counts notifications during a change, until this many have come. */
  async function news(change: () => void, wanted: number): Promise<void> {
    let changes = 0
    const stop = policyFiles(at('sluice.yaml')).watch(() => (changes += 1))
    change()
    await until(() => changes >= wanted)
    stop()
    expect(changes).toBe(wanted)
  }

  test('detects a file that is replaced, as editors do', async () => {
    writeFileSync(at('p.yaml'), 'preset: strict')
    config('policy: ./p.yaml')
    await news(() => {
      writeFileSync(at('p.tmp'), 'preset: careful')
      renameSync(at('p.tmp'), at('p.yaml'))
    }, 1)
  })

  test('detects a folder that is swapped behind a link, as deployments do', async () => {
    for (const [name, preset] of [
      ['one', 'strict'],
      ['two', 'careful'],
    ]) {
      mkdirSync(at(name ?? ''))
      writeFileSync(at(name ?? '', 'p.yaml'), `preset: ${preset}`)
    }
    symlinkSync('one', at('now'))
    symlinkSync('now/p.yaml', at('p.yaml'))
    config('policy: ./p.yaml')
    await news(() => {
      symlinkSync('two', at('then'))
      renameSync(at('then'), at('now'))
    }, 1)
  })

  test('follows the configuration to another file', async () => {
    mkdirSync(at('else'))
    writeFileSync(at('p.yaml'), 'preset: strict')
    writeFileSync(at('else/q.yaml'), 'preset: observe')
    config('policy: ./p.yaml')
    let changes = 0
    const source = policyFiles(at('sluice.yaml'))
    const stop = source.watch(() => (changes += 1))
    config('policy: ./else/q.yaml')
    await until(() => changes > 0)
    writeFileSync(at('else/q.yaml'), 'preset: careful')
    await until(() => changes > 1)
    stop()
    expect(source.read()).toMatchObject({ value: { text: 'preset: careful' } })
  })

  test('reports a change that was made between the first read and the start of the watch', async () => {
    writeFileSync(at('p.yaml'), 'preset: observe')
    config('policy: ./p.yaml')
    const loaded = readPolicy(at('sluice.yaml'))
    if (!loaded.ok) throw new Error('it can be read')
    let heard = 0
    const source = policyFiles(at('sluice.yaml'), loaded.value)
    writeFileSync(at('p.yaml'), 'preset: strict')
    const stop = source.watch(() => (heard += 1))
    await until(() => heard === 1)
    stop()
  })

  test('ignores changes of other files', async () => {
    config('policy: { preset: strict }')
    let changes = 0
    const stop = policyFiles(at('sluice.yaml')).watch(() => (changes += 1))
    for (let round = 0; round < 10; round += 1) {
      writeFileSync(at('log.txt'), String(round))
      await sleep(30)
    }
    config('policy: { preset: careful }')
    await until(() => changes > 0)
    stop()
    expect(changes).toBe(1)
  })
})
