import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../../test/read-config.ts'
import { identityOf } from '../../attempt/call-changes.ts'
import { callWith, toolWith } from '../neutral-facts.suite.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Page, Tables } from '../../ports/reads.ts'
import { historyFact } from './history-fact.ts'
import { judgementOf } from '../../../../test/judging.ts'

const tool = toolWith({}, ['write'])
const call = callWith({}, { received_at: 1_000_000 })

/** A store with these calls and requests under the call's identity, which records the queries. */
async function history(calls: readonly object[], approvals: readonly object[] = [], of: Tool = tool) {
  const config = readConfig({ repetition: { most: 4, within_s: 100, denied_for: 500 } })
  if (!config.ok) throw new Error('the configuration is valid')
  const judgement = await judgementOf(config.value)
  const asked: [string, object, Page][] = []
  const list = async (table: string, where: object, page: Page) => {
    asked.push([table, where, page])
    const rows = (table === 'calls' ? calls : approvals).map((row, cursor) => ({ version: 1, cursor, row }))
    return rows.filter(({ cursor }) => cursor > (page.after ?? -1)).slice(0, page.limit)
  }
  const fact = await historyFact({ tables: { list } as unknown as Tables, judgement }, call, of)
  return { fact, asked }
}
const earlier = (received_at: number, call_id = 'call_0000000000000000000000ff') => ({ call_id, received_at })
const request = (state: string, at: number, says = 'deny') => ({
  approval_id: 'auth_0000000000000001',
  state,
  decisions: [{ by: 'approver:bob', says, at }],
})

describe('the history of a call', () => {
  test('counts the same call made before it, within the time window, and not itself', async () => {
    const rows = [earlier(999_999), earlier(1_000_000), earlier(900_001)]
    const others = [earlier(900_000), earlier(1_000_001), earlier(1_000_000, call.call_id)]
    expect((await history([...rows, ...others])).fact).toMatchObject({ earlier: 3 })
  })

  test("contains a person's rejection that came before the call, and no other decision", async () => {
    const rejections = [
      { approval_id: 'auth_0000000000000001', by: 'approver:bob', until: new Date(1_500_000).toISOString() },
    ]
    expect((await history([], [request('denied', 1_000_000)])).fact).toMatchObject({ rejections })
    const others = [request('denied', 1_000_001), request('consumed', 5, 'approve'), request('pending', 5, 'approve')]
    expect((await history([], others)).fact).toMatchObject({ rejections: [] })
  })

  test('drops a rejection when its time is over', async () => {
    expect((await history([], [request('denied', 500_001)])).fact).toMatchObject({ rejections: [{}] })
    expect((await history([], [request('denied', 500_000)])).fact).toMatchObject({ rejections: [] })
  })

  test('finds a rejection that is older than any number of equal requests', async () => {
    const waiting = Array.from({ length: 333 }, () => request('pending', 5, 'approve'))
    expect((await history([], [...waiting, request('denied', 999_999)])).fact).toMatchObject({ rejections: [{}] })
    const endless = Array.from({ length: 6_000 }, () => request('pending', 5, 'approve'))
    expect((await history([], endless)).fact).toBe('unknown')
  })

  test('gives the reason on one line and without secrets', async () => {
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const [decision] = request('denied', 999_999).decisions
    const denied = { ...request('denied', 999_999), decisions: [{ ...decision, reason: `no\n\u202eAPPROVED ${key}` }] }
    const { fact } = await history([], [denied])
    const reason = fact === 'unknown' ? '' : (fact.rejections[0]?.reason ?? '')
    expect(reason).toMatch(/^no APPROVED /)
    expect(reason).not.toContain(key)
  })

  test('continues over pages for a loop of reads, and stops when it knows enough', async () => {
    const rows = Array.from({ length: 200 }, () => earlier(999_999))
    const { fact, asked } = await history(rows, [], toolWith({}, ['read']))
    expect(fact).toMatchObject({ earlier: 55 })
    expect(asked.filter(([table]) => table === 'calls')).toHaveLength(2)
    expect((await history(rows)).fact).toMatchObject({ earlier: 5 })
  })

  test('is read in two short pages, newest first, of exactly this call', async () => {
    const { asked } = await history([])
    const where = { identity: identityOf(call) }
    expect(asked).toEqual([
      ['calls', where, { limit: 5, newest_first: true }],
      ['approvals', where, { limit: 50, newest_first: true }],
    ])
  })
})
