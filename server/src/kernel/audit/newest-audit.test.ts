import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { draft, memoryAudit } from './test/memory-audit.suite.ts'
import type { AuditEntry } from '../contract/audit.ts'
import { auditBackwards } from './newest-audit.ts'

const LIMIT = 7

async function readAll(audit: ReturnType<typeof memoryAudit>['audit'], limit: number) {
  const pages: (readonly AuditEntry[])[] = []
  let cursor: string | undefined
  do {
    const page = await auditBackwards(audit, { limit, ...(cursor === undefined ? {} : { cursor }) })
    if (!page.ok) throw new Error(page.problem.code)
    pages.push(page.value.items)
    cursor = page.value.next_cursor
  } while (cursor !== undefined)
  return pages
}

test('law: read backwards, every entry of every stream comes once, the newer first, and no page reads more than it needs', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'ü"'), fc.nat(50)), { maxLength: 60 }),
      async (writes) => {
        const memory = memoryAudit()
        const times = new Map<string, number>()
        for (const [stream, later] of writes) {
          const at = (times.get(stream) ?? 0) + later
          times.set(stream, at)
          memory.append(stream, draft(at))
        }
        let most = 0
        const audit = {
          ...memory.audit,
          entries: (stream: string, from: number, limit: number) => {
            most = Math.max(most, limit)
            return memory.audit.entries(stream, from, limit)
          },
        }
        const pages = await readAll(audit, LIMIT)
        const all = pages.flat()
        expect(new Set(all.map(({ stream, seq }) => `${stream} ${seq}`)).size).toBe(writes.length)
        expect(all).toHaveLength(writes.length)
        expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((one, other) => other - one))
        expect(most).toBeLessThanOrEqual(LIMIT)
        expect(pages.slice(0, -1).every((page) => page.length === LIMIT)).toBe(true)
      },
    ),
  ))

test('entries written while somebody reads backwards do not move the pages', async () => {
  const memory = memoryAudit()
  for (let at = 1; at <= 10; at += 1) memory.append('a', draft(at))
  const first = await auditBackwards(memory.audit, { limit: 4 })
  memory.append('a', draft(11))
  memory.append('b', draft(12))
  const cursor = first.ok ? first.value.next_cursor : undefined
  const second = await auditBackwards(memory.audit, { limit: 4, ...(cursor === undefined ? {} : { cursor }) })
  expect(second).toMatchObject({ ok: true, value: { items: [6, 5, 4, 3].map((seq) => ({ seq })) } })
})

test('it begins with a given entry of one stream, and at the newest if there are fewer', async () => {
  const memory = memoryAudit()
  for (let at = 1; at <= 5; at += 1) memory.append('a', draft(at))
  memory.append('b', draft(9))
  const from = async (stream: string, seq: number) => {
    const page = await auditBackwards(memory.audit, { limit: 2, at: { stream, seq } })
    return page.ok ? page.value.items.map((entry) => entry.seq) : page.problem.code
  }
  expect(await from('a', 3)).toEqual([3, 2])
  expect(await from('a', 99)).toEqual([5, 4])
  expect(await from('c', 1)).toEqual([])
})

test('an entry whose number and time were changed is in the list, and the pages after it are complete', async () => {
  const memory = memoryAudit()
  for (let at = 1; at <= 5; at += 1) memory.append('a', draft(at))
  const body = memory.stored.entries.get('a')?.[2]
  if (body !== undefined) body.body = { ...(body.body as object), seq: 'x', at: null }
  const seen = (await readAll(memory.audit, 2)).flat()
  expect(seen.map(({ seq }) => seq)).toEqual([5, 4, 'x', 2, 1])
})

test.each(['', '[]', '{}', '[["a"]]', '[["a",0]]', '[["a",1.5]]', 'null', '7'])(
  'a cursor `%s` that no page returned is rejected',
  async (cursor) => {
    expect(await auditBackwards(memoryAudit().audit, { limit: 2, cursor })).toMatchObject({
      ok: false,
      problem: { code: 'request.bad_cursor' },
    })
  },
)
