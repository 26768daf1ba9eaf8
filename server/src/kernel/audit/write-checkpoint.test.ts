import { describe, expect, test } from 'vitest'
import { entryIn, pick, rehashed } from './test/histories.suite.ts'
import { checkpointsOf, digest, digestBytes, draft, memoryAudit } from './test/memory-audit.suite.ts'
import type { Checkpoint } from '../contract/audit.ts'
import { GENESIS } from '../contract/genesis.ts'
import { checkpointHash, checkpointText } from './checkpoint.ts'
import { merkleRoot } from './merkle.ts'
import { verifyAudit } from './verify-audit.ts'
import { presentCheckpoint, writeCheckpoint } from './write-checkpoint.ts'

const written = async (memory: ReturnType<typeof memoryAudit>): Promise<Checkpoint> => {
  const result = await writeCheckpoint(memory)
  if (!result.ok || result.value === 'nothing_new') throw new Error('nothing was written')
  return result.value
}

function renumber(memory: ReturnType<typeof memoryAudit>): void {
  const { row } = pick(memory, 7)
  row.body = { ...entryIn(row), seq: 9 }
}

function raiseHead(memory: ReturnType<typeof memoryAudit>): void {
  memory.stored.heads.set('a', { seq: 12, hash: memory.stored.heads.get('a')?.hash ?? '' })
}

describe('a checkpoint', () => {
  test('signs the new entries of every stream, and the head of a stream without new ones', async () => {
    const memory = memoryAudit()
    const [a1, a2] = [memory.append('a', draft(1)), memory.append('a', draft(2))]
    const first = await written(memory)
    const b1 = memory.append('b', draft(3))
    const second = await written(memory)

    expect(first.body).toMatchObject({ v: 1, number: 1, count: 2, prev: GENESIS })
    const root = merkleRoot([a1.hash, a2.hash], digestBytes)
    expect(first.body.streams).toEqual([{ stream: 'a', from: 1, to: 2, head: a2.hash, root }])
    expect(second.body).toMatchObject({ number: 2, count: 3, prev: checkpointHash(first.body, digest) })
    expect(second.body.streams).toEqual([
      { stream: 'a', from: 3, to: 2, head: a2.hash, root: digestBytes('') },
      { stream: 'b', from: 1, to: 1, head: b1.hash, root: merkleRoot([b1.hash], digestBytes) },
    ])
    expect(checkpointText(second.body)).toMatch(/^sluice\.checkpoint\.v1\n\{"at":/)
    expect(memory.keys.isGenuine(checkpointText(second.body), second.key, second.signature)).toBe(true)
    expect([...memory.stored.checkpoints.keys()]).toEqual(['000000000001', '000000000002'])
  })

  test('is not written when nothing is new', async () => {
    const memory = memoryAudit()
    expect(await writeCheckpoint(memory)).toEqual({ ok: true, value: 'nothing_new' })
    memory.append('a', draft(1))
    const newest = await written(memory)
    expect(await writeCheckpoint(memory)).toEqual({ ok: true, value: 'nothing_new' })
    expect(await presentCheckpoint(memory)).toEqual({ ok: true, value: newest })
    expect(checkpointsOf(memory)).toHaveLength(1)
  })

  test('is written once by racing writers, and the chain stays intact', async () => {
    const memory = memoryAudit()
    for (let at = 0; at < 300; at += 1) memory.append('a', draft(at))
    const results = await Promise.all(Array.from({ length: 4 }, () => writeCheckpoint(memory)))
    expect(results.filter((result) => result.ok && result.value !== 'nothing_new')).toHaveLength(1)
    expect(results.every((result) => result.ok)).toBe(true)
    expect(await verifyAudit(memory)).toMatchObject({ ok: true, entries: 300, checkpoints: 1 })
  })

  test('is rejected if it cannot be stored', async () => {
    const memory = memoryAudit()
    memory.append('a', draft(1))
    let tries = 0
    const commit = async () => ((tries += 1), 'unavailable' as const)
    expect(await writeCheckpoint({ ...memory, ledger: { commit } })).toMatchObject({
      problem: { code: 'audit.unavailable' },
    })
    expect(tries).toBe(1)
    const busy = { ...memory, ledger: { commit: async () => ({ lost: 0 }) } }
    expect(await writeCheckpoint(busy)).toMatchObject({ problem: { code: 'audit.unavailable' } })
  })

  test.each<[string, (memory: ReturnType<typeof memoryAudit>) => void, string]>([
    ['an entry is gone', (memory) => memory.stored.entries.get('a')?.splice(6, 1), '7'],
    ['the last entry is gone', (memory) => memory.stored.entries.get('a')?.pop(), '9'],
    ['signed entries are gone', (memory) => memory.stored.heads.delete('a'), '1'],
    ['the head is ahead of the entries', (memory) => raiseHead(memory), '12'],
    ['the head has another hash', (memory) => memory.stored.heads.set('a', { seq: 9, hash: GENESIS }), '10'],
    ['two entries have the same number', (memory) => renumber(memory), '8'],
    ['a row is not an entry', (memory) => void (pick(memory, 7).row.body = null), '8'],
    [
      'an entry has no hash',
      (memory) => void (pick(memory, 7).row.body = { ...entryIn(pick(memory, 7).row), hash: 'x' }),
      '8',
    ],
    [
      'two entries are not linked',
      (memory) => void (pick(memory, 6).row.body = rehashed(entryIn(pick(memory, 6).row), { at: 0 })),
      '8',
    ],
  ])('is rejected if %s', async (_, breakIt, seq) => {
    const memory = memoryAudit()
    for (let at = 1; at < 5; at += 1) memory.append('a', draft(at))
    await written(memory)
    for (let at = 5; at < 10; at += 1) memory.append('a', draft(at))
    breakIt(memory)
    expect(await writeCheckpoint(memory)).toMatchObject({
      problem: { code: 'audit.broken', about: { stream: 'a', seq } },
    })
    expect(checkpointsOf(memory)).toHaveLength(1)
  })
})
