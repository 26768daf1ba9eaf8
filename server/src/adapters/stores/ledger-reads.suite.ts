import { expect, test } from 'vitest'
import type { CallRow } from '../../kernel/contract/call.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import { call, newCall, runId } from './ledger-fixtures.suite.ts'
import type { Opener } from './ledger.suite.ts'

const event = (run: RunId, text: string): Change => ({ kind: 'event', run, event: { type: 'told', text } })

export function readsSuite({ fresh, create, open }: Opener): void {
  test('a row is read back as it was stored', async () => {
    const ledger = await fresh()
    const row = call('c', { trace: 'é 😀 \u2028 "quoted" \\ \0 end', idempotency_key: 'k', started_at: 0.5 })
    await ledger.commit([{ kind: 'swap', table: 'calls', id: 'c', from: 'absent', to: row }])
    expect((await ledger.row('calls', 'c'))?.row).toEqual(row)
    expect(await ledger.row('calls', 'd')).toBeUndefined()
    expect(await ledger.row('approvals', 'c')).toBeUndefined()
  })

  test('pages are in the order of first insertion, whatever was swapped since', async () => {
    const ledger = await fresh()
    const ids = ['b', 'a', 'd', 'c', 'e']
    for (const id of ids) await ledger.commit([newCall(id)])
    await ledger.commit([{ kind: 'swap', table: 'calls', id: 'a', from: 1, to: call('a', { state: 'executing' }) }])

    const walk = async (newest_first: boolean) => {
      const seen: string[] = []
      let after: number | undefined
      for (;;) {
        const page = await ledger.list(
          'calls',
          {},
          { limit: 2, newest_first, ...(after === undefined ? {} : { after }) },
        )
        if (page.length === 0) return seen
        expect(page.length).toBeLessThanOrEqual(2)
        seen.push(...page.map(({ row }) => row.call_id))
        after = page.at(-1)?.cursor
      }
    }
    expect(await walk(false)).toEqual(ids)
    expect(await walk(true)).toEqual(ids.toReversed())
  })

  test('a reader that follows the cursor while others write misses no row and no event', async () => {
    const address = await create()
    const reader = await open(address)
    const writers = [await open(address), await open(address), await open(address)]
    const run = runId(1)
    const expected = writers.flatMap((_, writer) => Array.from({ length: 40 }, (__, index) => `${writer}-${index}`))
    // Commits of different lengths, so that one that began early may end late.
    const write = async (id: string, index: number) => {
      const others = Array.from({ length: index % 7 }, (_, more): Change => ({
        kind: 'once',
        key: `${id}/${more}`,
        until: 9,
      }))
      const changes = index % 2 === 0 ? [newCall(id), ...others] : [...others, newCall(id)]
      await writers[Number(id[0])]?.commit([...changes, event(run, id)])
    }
    const rows: string[] = []
    const events: number[] = []
    let after: number | undefined
    const follow = async () => {
      const page = await reader.list('calls', {}, { limit: 5, ...(after === undefined ? {} : { after }) })
      rows.push(...page.map(({ row }) => row.call_id))
      after = page.at(-1)?.cursor ?? after
      const found = await reader.events(run, events.at(-1) ?? 0, 5)
      events.push(...found.map(({ seq }) => seq))
      return page.length + found.length
    }
    const writing = new Set(expected)
    const written = Promise.all(expected.map((id, index) => write(id, index).finally(() => writing.delete(id))))
    while (writing.size > 0) {
      await follow()
      await new Promise((next) => setImmediate(next))
    }
    await written
    while ((await follow()) > 0);
    expect(rows.toSorted()).toEqual(expected.toSorted())
    expect(events).toEqual(expected.map((_, index) => index + 1))
  })

  test('a listing contains the rows that match every field now, and a count as many', async () => {
    const ledger = await fresh()
    await ledger.commit([
      newCall('1', { state: 'pending', identity: 'x', idempotency_key: 'k' }),
      newCall('2', { state: 'pending', identity: 'X' }),
      newCall('3', { state: 'executed', identity: 'x' }),
      newCall('4', { state: 'pending', identity: 'x\0' }),
    ])
    const listed = async (where: Parameters<typeof ledger.list<'calls'>>[1]) => {
      const rows = await ledger.list('calls', where, { limit: 10 })
      expect(await ledger.count('calls', where)).toBe(rows.length)
      return rows.map(({ row }) => row.call_id)
    }
    expect(await listed({ state: 'pending' })).toEqual(['1', '2', '4'])
    expect(await listed({ state: 'pending', identity: 'x' })).toEqual(['1'])
    expect(await listed({ state: 'executed' })).toEqual(['3'])
    expect(await listed({ state: 'failed' })).toEqual([])
    expect(await listed({ identity: 'x' })).toEqual(['1', '3'])
    expect(await listed({ idempotency_key: 'k' })).toEqual(['1'])
    expect(await listed({ idempotency_key: 'K' })).toEqual([])
    await ledger.commit([{ kind: 'swap', table: 'calls', id: '1', from: 1, to: call('1', { state: 'failed' }) }])
    expect(await listed({ state: 'pending' })).toEqual(['2', '4'])
    expect(await listed({ state: 'failed' })).toEqual(['1'])
    expect(await listed({ idempotency_key: 'k' })).toEqual([])
  })

  test('a row that is written several times is stored completely, and listed by its newest fields, by its writer and by another one', async () => {
    const address = await create()
    const [ledger, other] = [await open(address), await open(address)]
    const first = call('same', { state: 'executing', idempotency_key: 'k', identity: 'same', trace: 'é' })
    const steps: Partial<CallRow>[] = [
      { state: 'unknown', ended_at: 5, result: { content: [{ type: 'text', text: '\u2028 😀' }] }, due: 'verify' },
      { state: 'executing', result: { content: [] }, trace: '', identity: 'other' },
      { state: 'executed', attempt: 9 },
    ]
    for (const id of ['same', 'both']) {
      let was: CallRow = { ...first, call_id: id as CallRow['call_id'] }
      await ledger.commit([newCall(id, was)])
      for (const [index, step] of steps.entries()) {
        const to: CallRow = { ...was, ...step }
        const swap: Change = { kind: 'swap', table: 'calls', id, from: index + 1, to }
        expect(await (id === 'same' || index % 2 === 0 ? ledger : other).commit([swap])).toBe('committed')
        expect(await ledger.row('calls', id)).toMatchObject({ version: index + 2, row: to })
        was = to
        const listings = [
          { state: 'unknown' },
          { state: 'executing' },
          { identity: 'same' },
          { identity: 'other' },
          { due: 'verify' },
        ] as const
        const fits = listings.filter((where) =>
          Object.entries(where).every(([field, value]) => to[field as 'due'] === value),
        )
        for (const where of listings)
          expect((await ledger.list('calls', where, { limit: 9 })).some(({ row }) => row.call_id === id)).toBe(
            fits.includes(where),
          )
      }
      const { idempotency_key: _key, due: _due, ...rest } = was
      expect(await ledger.commit([{ kind: 'swap', table: 'calls', id, from: 4, to: rest }])).toBe('committed')
      expect((await ledger.row('calls', id))?.row).toEqual(rest)
      expect(await ledger.list('calls', { idempotency_key: 'k' }, { limit: 9 })).toEqual([])
    }
  })

  test('a field that the second version no longer has is gone, even if its writer remembers the first', async () => {
    const ledger = await fresh()
    const { idempotency_key: _key, ...without } = call('c', { state: 'unknown', idempotency_key: 'k' })
    const was = { ...without, idempotency_key: 'k' }
    await ledger.commit([newCall('c', was)])
    await ledger.commit([{ kind: 'swap', table: 'calls', id: 'c', from: 1, to: without }])
    expect((await ledger.row('calls', 'c'))?.row).toEqual(without)
    expect(await ledger.list('calls', { idempotency_key: 'k' }, { limit: 1 })).toEqual([])
  })

  test('a filter without a value, an unlisted field and an unlimited page are bugs', async () => {
    const ledger = await fresh()
    await ledger.commit([newCall('1')])
    await expect(ledger.list('calls', { identity: undefined } as never, { limit: 1 })).rejects.toThrow('no value')
    await expect(ledger.count('calls', { trace: 'trace' } as never)).rejects.toThrow('not listed by')
    await expect(ledger.list('calls', {}, { limit: -1 })).rejects.toThrow('limit')
    await expect(ledger.row('heads' as 'calls', 'main')).rejects.toThrow('no table')
  })

  test('events are numbered per run from 1, in the order of their commits', async () => {
    const ledger = await fresh()
    const [left, right] = [runId(1), runId(2)]
    await ledger.commit([event(left, 'a'), event(right, 'b'), event(left, 'c')])
    await Promise.all(Array.from({ length: 20 }, (_, index) => ledger.commit([event(left, `r${index}`)])))
    const events = await ledger.events(left, 0, 100)
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 22 }, (_, index) => index + 1))
    expect(events.slice(0, 2).map(({ event }) => event['text'])).toEqual(['a', 'c'])
    expect(new Set(events.map(({ event }) => event['text'])).size).toBe(22)
    expect(await ledger.events(left, 20, 1)).toEqual(events.slice(20, 21))
    expect(await ledger.events(right, 0, 9)).toEqual([{ seq: 1, event: { type: 'told', text: 'b' } }])
    expect(await ledger.events(runId(3), 0, 9)).toEqual([])
  })

  test('a wake-up is due from its time on, or immediately if it has none', async () => {
    const ledger = await fresh()
    const [now, soon, late] = [runId(3), runId(2), runId(1)]
    await ledger.commit([
      { kind: 'wake', run: late, at: 200 },
      { kind: 'wake', run: soon, at: 100 },
      { kind: 'wake', run: soon, at: 100 },
      { kind: 'wake', run: soon, at: 150 },
      { kind: 'wake', run: now },
    ])
    const due = async (...asked: Parameters<typeof ledger.due>) =>
      (await ledger.due(...asked)).map(({ run, at }) => [run, at])
    expect(await due(0, 10)).toEqual([[now, 0]])
    expect(await due(99.5, 10)).toEqual([[now, 0]])
    expect(await due(100, 10)).toEqual([
      [now, 0],
      [soon, 100],
    ])
    const whole = [
      [now, 0],
      [soon, 100],
      [soon, 150],
      [late, 200],
    ]
    expect(await due(1000, 10)).toEqual(whole)
    expect(await due(1000, 2)).toEqual(whole.slice(0, 2))
    expect(await due(1000, 10, { run: soon, at: 100 })).toEqual(whole.slice(2))
    expect(await ledger.nextDue(0)).toBe(100)
    expect(await ledger.nextDue(100)).toBe(150)
    expect(await ledger.nextDue(200)).toBeUndefined()
  })

  test('resting replaces the wake-ups of the run by the next one, or by none', async () => {
    const ledger = await fresh()
    const [run, other] = [runId(1), runId(2)]
    await ledger.commit([
      { kind: 'wake', run },
      { kind: 'wake', run, at: 50 },
      { kind: 'wake', run, at: 51 },
      { kind: 'wake', run: other },
    ])
    expect(await ledger.commit([{ kind: 'rest', run, cursor: 0, next: 70 }])).toBe('committed')
    expect(await ledger.due(100, 10)).toEqual([
      { run: other, at: 0 },
      { run, at: 70 },
    ])
    expect(await ledger.commit([{ kind: 'rest', run, cursor: 0 }])).toBe('committed')
    expect(await ledger.due(100, 10)).toEqual([{ run: other, at: 0 }])
  })

  test('an event that arrives between reading and resting keeps the run awake', async () => {
    const ledger = await fresh()
    const run = runId(1)
    await ledger.commit([event(run, 'first'), { kind: 'wake', run }])
    const read = (await ledger.events(run, 0, 10)).at(-1)?.seq ?? 0
    await ledger.commit([event(run, 'second'), { kind: 'wake', run }])
    expect(await ledger.commit([newCall('c'), { kind: 'rest', run, cursor: read }])).toEqual({ lost: 1 })
    expect(await ledger.due(1, 10)).toEqual([{ run, at: 0 }])
    expect(await ledger.row('calls', 'c')).toBeUndefined()
    expect(await ledger.commit([{ kind: 'rest', run, cursor: read + 1 }])).toBe('committed')
    expect(await ledger.due(9e12, 10)).toEqual([])
  })

  test('a listener is called for every durable wake-up, once the store can show it', async () => {
    const ledger = await fresh()
    const wakes: { run: RunId; at: number | undefined; seen: Promise<number> }[] = []
    ledger.onWake((run, at) => wakes.push({ run, at, seen: ledger.events(run, 0, 10).then((events) => events.length) }))
    const [first, second] = [runId(1), runId(2)]
    await ledger.commit([event(first, 'x'), { kind: 'wake', run: first }])
    await ledger.commit([
      event(second, 'x'),
      { kind: 'wake', run: second, at: 70 },
      { kind: 'wake', run: first, at: 9 },
    ])
    await ledger.commit([event(first, 'x')])
    expect(wakes.map(({ run, at }) => [run, at])).toEqual([
      [first, undefined],
      [second, 70],
      [first, 9],
    ])
    // A slow read may see what was committed after it was requested.
    for (const seen of await Promise.all(wakes.map((one) => one.seen))) expect(seen).toBeGreaterThanOrEqual(1)
  })
}
