import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { withGate, type GateRig } from '../../../../test/helpers/with-gate.ts'

const typed = {
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../../../../test/tool-servers/typed-large.ts')],
  tools: { free: { effects: ['read'] }, strict: { effects: ['read'] }, numbers: { effects: ['read'] } },
}
const withTyped = (use: (rig: GateRig) => Promise<void>) => withGate(use, { config: { servers: { typed } } })
type Executed = { status: string; result: { isError?: boolean; structuredContent?: { text: string } } }

test('an output with a schema that is too large still matches its schema, or is an error with the pointer', () =>
  withTyped(async ({ call }) => {
    // A text that repeats the structured content counts once.
    const whole = (await call('typed__free', { size: 9_900 })) as unknown as Executed
    expect(whole).toMatchObject({ status: 'executed', output: { evicted: false } })
    const cut = (await call('typed__free', { size: 30_000 })) as unknown as Executed
    expect(cut).toMatchObject({ status: 'executed', output: { evicted: true } })
    expect(cut.result.isError).toBeUndefined()
    expect(cut.result.structuredContent?.text).toMatch(/^x{1000} \[EVICTED size=30000\] See artifact:\/\/[0-9a-f]{64}$/)
    for (const tool of ['strict', 'numbers']) {
      const error = (await call(`typed__${tool}`, { size: 30_000 })) as unknown as Executed
      expect(error, tool).toMatchObject({
        status: 'executed',
        result: { isError: true, content: [{ text: expect.stringMatching(/See artifact:\/\//) as unknown }] },
      })
      expect(error.result.structuredContent).toBeUndefined()
    }
    // A door may have a limit of its own.
    const size = { size: 30_000 }
    expect(await call('typed__free', size, { evict_over: 40_000 })).toMatchObject({ output: { evicted: false } })
    expect(await call('typed__free', { size: 2_000 }, { evict_over: 1_500 })).toMatchObject({
      output: { evicted: true },
    })
  }))
