import { expect, test } from 'vitest'
import type { Artifacts } from '../ports/artifacts.ts'
import { linesWith } from './grep-artifact.ts'

const artifact = (text: string): Artifacts => ({
  put: async () => undefined,
  read: async () => ({ text, size: text.length }),
  expire: async () => 0,
  erase: async () => 0,
})
const deps = (text: string) => ({
  artifacts: artifact(text),
  tables: { list: async () => [] },
  clock: Date.now,
  after: (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
})
const ana = { kind: 'agent', id: 'agent:a', user: 'ana' } as const
const search = (text: string, pattern: string) =>
  linesWith(deps(text), ana, 'a'.repeat(64), { pattern, regexp: true, around: 0, limit: 10 })

test('a pattern finds its lines', async () => {
  expect(await search('one\ntwo 22\nthree', String.raw`\d+$`)).toMatchObject({
    ok: true,
    value: { hits: [{ line: 2, from: 4, text: 'two 22' }], complete: true },
  })
})

test('a line on which a pattern takes too long is skipped, and the answer says that it is incomplete', async () => {
  const slow = `(?:${'a?'.repeat(300)}){8}b`
  const found = await search(`${'a'.repeat(4_000)}\nab`, slow)
  expect(found).toMatchObject({ ok: true, value: { hits: [{ line: 2 }], complete: false } })
})

test('a search on a machine that is busy with other work finds the same lines', async () => {
  let now = 0
  const stopping = { ...deps(`${'hay\n'.repeat(40_000)}needle`), clock: () => (now += 60_000) }
  const found = await linesWith(stopping, ana, 'a'.repeat(64), {
    pattern: 'needle$',
    regexp: true,
    around: 0,
    limit: 10,
  })
  expect(found).toMatchObject({ ok: true, value: { hits: [{ line: 40_001 }], complete: true } })
})

test('a search that is too much work as a whole ends, and says that it is incomplete', async () => {
  const found = await search(`${`${'a'.repeat(3_000)}\n`.repeat(4_000)}ab`, `(?:${'a?'.repeat(15)})b`)
  expect(found).toMatchObject({ ok: true, value: { hits: [], complete: false } })
})
