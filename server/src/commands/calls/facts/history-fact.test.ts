import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../contract/config.ts'
import { identityOf } from '../../../core/gate/identity-of.ts'
import { callWith } from '../../../core/gate/quiet-facts.suite.ts'
import type { Page, Shelves } from '../../ports.ts'
import { historyFact } from './history-fact.ts'
import { loadJudgement } from './load-judgement.ts'

const call = callWith({}, { received_at: 1_000_000 })

/** A store that holds these calls and requests under the call's identity, and remembers what it was asked. */
async function history(calls: readonly object[], approvals: readonly object[] = []) {
  const config = readConfig({ repetition: { most: 4, within_s: 100 } })
  if (!config.ok) throw new Error('the configuration is good')
  const look = () => {
    throw new Error('nobody looks at the disk')
  }
  const files = { windows: false, home: () => '', configured: async () => undefined, look }
  const judgement = await loadJudgement(config.value, () => undefined, files)
  if (!judgement.ok) throw new Error('the configuration is good')
  const asked: [string, object, Page][] = []
  const list = async (table: string, where: object, page: Page) => {
    asked.push([table, where, page])
    return (table === 'calls' ? calls : approvals).map((row) => ({ version: 1, cursor: 1, row }))
  }
  const fact = await historyFact({ shelves: { list } as unknown as Shelves, judgement: judgement.value }, call)
  return { fact, asked }
}
const earlier = (received_at: number, call_id = 'call_0000000000000000000000ff') => ({ call_id, received_at })
const request = (state: string, at: number, says = 'deny') => ({
  approval_id: 'auth_0000000000000001',
  state,
  decisions: [{ by: 'approver:bob', says, at }],
})

describe('the history of a call', () => {
  test('counts the same call made before it, within the time, and not itself', async () => {
    const rows = [earlier(999_999), earlier(1_000_000), earlier(900_001)]
    const others = [earlier(900_000), earlier(1_000_001), earlier(1_000_000, call.call_id)]
    expect((await history([...rows, ...others])).fact).toMatchObject({ earlier: 3 })
  })

  test('holds a person`s no that came before the call, and no other decision', async () => {
    const rejections = [{ approval_id: 'auth_0000000000000001', by: 'approver:bob' }]
    expect((await history([], [request('denied', 1_000_000)])).fact).toMatchObject({ rejections })
    const others = [request('denied', 1_000_001), request('consumed', 5, 'approve'), request('pending', 5, 'approve')]
    expect((await history([], others)).fact).toMatchObject({ rejections: [] })
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
