import * as fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Change } from '../../../kernel/ports/ledger.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import { commitLists, expectLikeModel } from '../ledger-model.suite.ts'
import { runId } from '../ledger-fixtures.suite.ts'
import { ledgerSuite } from '../ledger.suite.ts'
import { openKillable, stopProxies } from './killable-ledger.suite.ts'
import { openLedger } from './open-ledger.suite.ts'

const create = async () => `${await testDatabase()} ${freshSchema()}`

describe.skipIf(!hasPostgres)('on a real Postgres', () => {
  afterAll(stopProxies)

  ledgerSuite('postgres', {
    create,
    open: (address, stream = 'main') => openLedger(address, { stream }),
    racer: new URL('./racer.suite.ts', import.meta.url),
    openKillable,
  })

  test('commits that are sent together are applied in the order of arrival, as if one by one', async () => {
    await fc.assert(
      fc.asyncProperty(commitLists, async (list) => {
        const store = await openLedger(await create())
        await expectLikeModel(store, list, () => Promise.all(list.map((changes) => store.commit(changes))))
        await store.close()
      }),
      { numRuns: 12 },
    )
  })

  test('the first event of a run takes one statement at any node, and a wrong guess about a later one stores it all the same', async () => {
    const address = await create()
    const [one, other] = [await openLedger(address, { stream: 'one' }), await openLedger(address, { stream: 'other' })]
    // The first commit of a connection compares the end of its stream.
    for (const store of [one, other]) expect(await store.commit([])).toBe('committed')
    const eventChange = (run: number, text: string): Change => ({
      kind: 'event',
      run: runId(run),
      event: { type: text },
    })
    const sent = vi.spyOn(Client.prototype, 'query')
    try {
      expect(await other.commit([eventChange(1, 'first')])).toBe('committed')
      expect(sent).toHaveBeenCalledTimes(1)
      sent.mockClear()
      expect(await one.commit([eventChange(1, 'second')])).toBe('committed')
      // The statement that finds an event and says which number it has, and the one that stores the next.
      expect(sent).toHaveBeenCalledTimes(2)
    } finally {
      sent.mockRestore()
    }
    const events = await one.events(runId(1), 0, 10)
    expect(events.map(({ seq, event }) => [seq, event.type])).toEqual([
      [1, 'first'],
      [2, 'second'],
    ])
    await Promise.all([one.close(), other.close()])
  })

  test('nodes that take turns to spend from one account need two statements each, and none waits with the lock held', async () => {
    const address = await create()
    const [one, other] = [await openLedger(address, { stream: 'one' }), await openLedger(address, { stream: 'other' })]
    for (const store of [one, other]) expect(await store.commit([])).toBe('committed')
    const spend: Change = { kind: 'spend', account: 'shared', units: 1 }
    expect(await one.commit([{ kind: 'open', account: 'shared', units: 4 }])).toBe('committed')
    // The first time, a node knows nothing about the account.
    expect(await other.commit([spend])).toBe('committed')
    const sent = vi.spyOn(Client.prototype, 'query')
    try {
      for (const store of [one, other, one]) expect(await store.commit([spend])).toBe('committed')
      expect(sent).toHaveBeenCalledTimes(6)
      for (const store of [other, one]) expect(await store.commit([spend])).toEqual({ lost: 0 })
      const texts = sent.mock.calls.map(([query]) => JSON.stringify(query))
      expect(texts.filter((text) => text.includes('BEGIN'))).toEqual([])
    } finally {
      sent.mockRestore()
    }
    // The last unit is spent once, however many nodes want it.
    await one.commit([{ kind: 'open', account: 'raced', units: 3 }])
    const raced = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (at % 2 === 0 ? one : other).commit([{ kind: 'spend', account: 'raced', units: 1 }]),
      ),
    )
    expect(raced.filter((outcome) => outcome === 'committed')).toHaveLength(3)
    expect(await one.left('raced')).toBe(0)
    await Promise.all([one.close(), other.close()])
  })
})
