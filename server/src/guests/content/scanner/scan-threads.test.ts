import { afterEach, describe, expect, test } from 'vitest'
import { compileScanRules } from '../scan-rules.ts'
import { openScanner, type OpenScanner } from './open-scanner.ts'
import { SCAN_LIMITS, type ScanLimits } from './scan-threads.ts'

const dlp = { outputs: 'strict', messages: 'secrets', rules: [] } as const
const compiled = compileScanRules({ ...dlp, rules: [] })
if (!compiled.ok) throw new Error('the built-in rules do not compile')
const rules = compiled.value

// Assembled at run time, so that secret scanners do not report this file.
const SECRET = ['ghp', 'q7RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0AeUiO'].join('_')
const LONG = 'a harmless line of text. '.repeat(2_000)

let scanner: OpenScanner | undefined
const scannerWith = (limits: Partial<ScanLimits> = {}) =>
  (scanner = openScanner(rules, { ...dlp, rules: [] }, { ...SCAN_LIMITS, ...limits }))
afterEach(() => scanner?.close())

describe('a scanner with threads', () => {
  test('finds in a large text what it finds in a small one', async () => {
    const open = scannerWith()
    const small = JSON.stringify({ body: `x ${SECRET}` })
    const large = JSON.stringify({ body: `x ${SECRET}`, more: LONG })
    const [one, other] = [await open.args(small), await open.args(large)]
    expect(one).not.toBe('unknown')
    expect(other).toEqual(one)
    expect(await open.shownArgs(large)).toEqual({
      args: JSON.stringify({ body: 'x [REDACTED_API_TOKEN]', more: LONG }),
      hidden: [{ in: 'proposed_args', at: '/body', length: SECRET.length, type: 'API_TOKEN' }],
    })
  })

  test('redacts every text of a large value, names included, except what is to be kept', async () => {
    const open = scannerWith()
    const value = { list: [LONG, { [SECRET]: 1, data: SECRET, n: 5, no: null }], text: SECRET }
    expect(await open.redact(value, 'outputs', ['data'])).toEqual({
      list: [LONG, { '[REDACTED_API_TOKEN]': 1, data: SECRET, n: 5, no: null }],
      text: '[REDACTED_API_TOKEN]',
    })
  })

  test('answers `unknown` if a search takes too long, and continues with the next', async () => {
    const open = scannerWith({ most_ms: 1, threads: 1 })
    const slow = JSON.stringify({ body: 'key='.repeat(100_000) })
    expect(await open.args(slow)).toBe('unknown')
    expect(await open.shownArgs(slow)).toEqual({
      args: '"[REDACTED_UNSCANNED]"',
      hidden: [{ in: 'proposed_args', at: '', length: slow.length, type: 'UNSCANNED' }],
    })
    const hidden = JSON.stringify(await open.redact({ text: LONG, n: 1 }, 'outputs'))
    expect(hidden).toContain('[REDACTED_UNSCANNED]')
    expect(hidden).not.toContain('harmless')
  })

  test('answers `unknown` if too much is already waiting', async () => {
    const open = scannerWith({ most_waiting: 1, threads: 1 })
    const text = JSON.stringify({ body: LONG })
    const answers = await Promise.all([1, 2, 3, 4].map(async () => open.args(text)))
    expect(answers.filter((answer) => answer === 'unknown')).toHaveLength(2)
  })

  test('starts no new thread when a thread ends and nothing waits', async () => {
    const alive = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
    const before = alive()
    const open = scannerWith({ idle_ms: 1, threads: 1 })
    await open.args(JSON.stringify({ body: LONG }))
    await expect.poll(alive).toBe(before)
    await open.close()
    expect(await open.args(JSON.stringify({ body: LONG }))).toBe('unknown')
  })

  test('answers `unknown` when it closes', async () => {
    const open = scannerWith()
    const answer = open.args(JSON.stringify({ body: LONG }))
    await open.close()
    expect(await answer).toBe('unknown')
  })
})
