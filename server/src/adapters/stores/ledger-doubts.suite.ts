import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, Committed, InDoubt, CommitResult } from '../../kernel/ports/ledger.ts'
import { callId, newCall, note, runId, wholeChain, type OpenLedger } from './ledger-fixtures.suite.ts'

/** When the engine fails while it stores a group of commits. */
export const DEATHS = [
  'on arrival',
  'before commit',
  'after commit',
  'commit fails, nothing stored',
  'commit fails, stored',
] as const
export type Death = (typeof DEATHS)[number]
/** Those that need no new thread or connection pool. */
const CHEAP: readonly Death[] = ['commit fails, nothing stored', 'commit fails, stored']
const STORED: readonly Death[] = ['after commit', 'commit fails, stored']

/** An open store whose engine fails once, while it stores the next group. */
export type KillableLedger = { readonly ledger: OpenLedger; readonly dieNext: (death: Death) => void }

const isInDoubt = (word: Committed): word is InDoubt => typeof word === 'object' && 'in_doubt' in word

async function wordsOf(ledger: OpenLedger, words: readonly Committed[]): Promise<readonly CommitResult[]> {
  const settled: CommitResult[] = []
  for (const word of words) {
    const known = isInDoubt(word) ? await ledger.resultOf(word.in_doubt) : word
    if (known === 'in_doubt') throw new Error('the engine is available but does not know the outcome')
    settled.push(known)
  }
  return settled
}

/** What an engine says about commits whose answer was lost. */
export function doubtsSuite({ openKillable }: { readonly openKillable: () => Promise<KillableLedger> }): void {
  test.each(DEATHS)('%s: the answer after asking matches what is stored', async (death) => {
    const { ledger, dieNext } = await openKillable()
    const woken: string[] = []
    ledger.onWake((run) => woken.push(run))
    expect(await ledger.commit([newCall('old')])).toBe('committed')
    dieNext(death)
    const words = await Promise.all([
      ledger.commit([newCall('a'), note('a'), { kind: 'wake', run: runId(1) }]),
      ledger.commit([note('b'), newCall('old')]),
      ledger.commit([newCall('c'), note('c')]),
    ])
    expect(words.every(isInDoubt)).toBe(true)
    const isStored = STORED.includes(death)
    const expected = isStored ? ['committed', { lost: 1 }, 'committed'] : ['unavailable', 'unavailable', 'unavailable']
    expect(await wordsOf(ledger, words)).toEqual(expected)
    expect(await wordsOf(ledger, words)).toEqual(expected)
    expect((await ledger.row('calls', 'a')) !== undefined).toBe(isStored)
    expect(woken).toEqual(isStored ? [runId(1)] : [])
    // It continues, and the answer stays the same.
    expect(await ledger.commit([newCall('d'), note('d')])).toBe('committed')
    expect(await wordsOf(ledger, words)).toEqual(expected)
    expect(await wholeChain(ledger, 'main')).toHaveLength(isStored ? 3 : 1)
  })

  test('for a hundred random groups, each interrupted somewhere, every answer matches what is stored', async () => {
    const { ledger, dieNext } = await openKillable()
    let number = 0
    const expected = new Map<string, boolean>()
    const size = fc.integer({ min: 1, max: 12 })
    const groups = fc.sample(
      fc.record({ death: fc.constantFrom(...DEATHS, ...CHEAP, ...CHEAP), size, losers: fc.nat() }),
      100,
    )
    for (const { death, size: commits, losers } of groups) {
      dieNext(death)
      const ids = Array.from({ length: commits }, () => callId((number += 1)))
      // A losing commit writes its row before it is lost.
      const isLoser = (at: number) => ((losers >> at) & 1) === 1
      const lists = ids.map((id, at): Change[] => [
        newCall(id),
        ...(isLoser(at) ? ([{ kind: 'spend', account: 'nobody', units: 1 }] as const) : [note(id)]),
      ])
      const words = await wordsOf(ledger, await Promise.all(lists.map((changes) => ledger.commit(changes))))
      for (const [at, id] of ids.entries()) {
        const word = words[at]
        if (typeof word === 'object') expect(isLoser(at)).toBe(true)
        expected.set(id, word === 'committed')
      }
      for (const id of ids) expect((await ledger.row('calls', id)) !== undefined, death).toBe(expected.get(id))
    }
    const stored = [...expected.values()].filter(Boolean).length
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(expected.size)
    expect(await wholeChain(ledger, 'main')).toHaveLength(stored)
    expect(await ledger.count('calls', {})).toBe(stored)
  }, 300_000)

  test('an unknown id is in doubt', async () => {
    const { ledger } = await openKillable()
    expect(await ledger.resultOf('nonsense')).toBe('in_doubt')
  })
}
