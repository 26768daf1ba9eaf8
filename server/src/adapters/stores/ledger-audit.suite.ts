import { expect, test } from 'vitest'
import type { Change } from '../../kernel/ports/ledger.ts'
import { GENESIS } from '../../kernel/contract/genesis.ts'
import { note, wholeChain } from './ledger-fixtures.suite.ts'
import type { Opener } from './ledger.suite.ts'

export function auditSuite({ create, open }: Opener): void {
  test('interleaved writers of one stream make one chain without gaps', async () => {
    const address = await create()
    const writers = [await open(address), await open(address)]
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const writer = writers[number % 2]
        // Two entries each, and every fifth commit is lost after it has linked its entries.
        const tail: Change[] = number % 5 === 0 ? [{ kind: 'spend', account: 'none', units: 1 }] : []
        return writer?.commit([note(`c${number}`), note(`c${number}`), ...tail])
      }),
    )
    expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(48)
    const entries = await wholeChain(writers[0] ?? (await open(address)), 'main')
    expect(entries).toHaveLength(96)
    for (let index = 0; index < entries.length; index += 2) {
      expect(entries[index]?.subject).toEqual(entries[index + 1]?.subject)
    }
  })

  test('each stream has its own chain', async () => {
    const address = await create()
    const [left, right] = [await open(address, 'left'), await open(address, 'right')]
    await left.commit([note('l1')])
    await right.commit([note('r1')])
    await left.commit([note('l2')])
    expect((await wholeChain(right, 'left')).map(({ subject }) => subject['call'])).toEqual(['l1', 'l2'])
    expect((await wholeChain(left, 'right')).map(({ subject }) => subject['call'])).toEqual(['r1'])
    expect((await left.heads()).map(({ stream, seq }) => `${stream} ${seq}`)).toEqual(['left 2', 'right 1'])
  })

  test('hashes are read as far as the entries are linked to the given one', async () => {
    const ledger = await open(await create())
    await ledger.commit(Array.from({ length: 10 }, (_, number) => note(`c${number}`)))
    const hashes = (await wholeChain(ledger, 'main')).map(({ hash }) => hash)
    expect(await ledger.linkedHashes('main', 1, GENESIS, 100)).toEqual(hashes)
    expect(await ledger.linkedHashes('main', 4, hashes[2] ?? '', 3)).toEqual(hashes.slice(3, 6))
    expect(await ledger.linkedHashes('main', 4, hashes[1] ?? '', 3)).toEqual([])
    expect(await ledger.linkedHashes('main', 11, hashes[9] ?? '', 3)).toEqual([])
    expect(await ledger.linkedHashes('other', 1, GENESIS, 3)).toEqual([])
  })

  test('entries are read from a number on, at most as many as requested', async () => {
    const ledger = await open(await create())
    await ledger.commit(Array.from({ length: 10 }, (_, number) => note(`c${number}`)))
    const page = await ledger.entries('main', 4, 3)
    expect(page.map(({ seq, subject }) => [seq, subject['call']])).toEqual([
      [4, 'c3'],
      [5, 'c4'],
      [6, 'c5'],
    ])
    expect(await ledger.entries('main', 11, 3)).toEqual([])
    expect(await ledger.entries('other', 1, 3)).toEqual([])
  })

  test('entries that name an id are found among those of a range, together with the first of the range', async () => {
    const ledger = await open(await create())
    await ledger.commit(['wanted', 'a', 'b', 'wanted', 'c', 'wanted'].map(note))
    const numbers = async (id: string, stream: string, from: number, count: number) =>
      (await ledger.naming(id, stream, from, count)).map(({ seq }) => seq)
    expect(await numbers('wanted', 'main', 2, 3)).toEqual([2, 4])
    expect(await numbers('wanted', 'main', 1, 100)).toEqual([1, 4, 6])
    expect(await numbers('want%', 'main', 3, 100)).toEqual([3])
    expect(await numbers('wanted', 'main', 7, 10)).toEqual([])
    expect(await numbers('wanted', 'other', 1, 10)).toEqual([])
  })

  test('entries that name an id are found among the newest of every stream, together with the first of those', async () => {
    const address = await create()
    const [main, other] = [await open(address), await open(address, 'other')]
    await main.commit(['wanted', 'a', 'wanted', 'b', 'wanted', 'c'].map(note))
    await other.commit(['wanted', 'd'].map(note))
    const newest = async (count: number) =>
      (await main.namingNewest('wanted', count)).map(({ stream, seq, entries }) => [
        stream,
        seq,
        entries.map((entry) => entry.seq),
      ])
    expect(await newest(4)).toEqual([
      ['main', 6, [3, 5]],
      ['other', 2, [1]],
    ])
    expect(await newest(1)).toEqual([
      ['main', 6, [6]],
      ['other', 2, [2]],
    ])
    expect(await newest(100)).toEqual([
      ['main', 6, [1, 3, 5]],
      ['other', 2, [1]],
    ])
    await Promise.all([main.close(), other.close()])
  })
}
