import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { always, entryIn, pick, rehashed, signedIn } from './test/histories.suite.ts'
import { draft, memoryAudit, type MemoryAudit } from './test/memory-audit.suite.ts'
import type { AuditProof } from '../contract/audit.ts'
import { checkProof, proveEntry } from './prove-entry.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

async function proven(memory: MemoryAudit, stream: string, seq: number): Promise<AuditProof> {
  const proof = await proveEntry(memory, stream, seq)
  if (!proof.ok) throw new Error(JSON.stringify(proof.problem))
  return proof.value
}

/** Forty entries in two streams under four checkpoints, and one that is not signed. */
async function signedAudit(): Promise<MemoryAudit> {
  const memory = memoryAudit()
  for (let at = 1; at <= 40; at += 1) {
    memory.append(at % 4 === 0 ? 'b' : 'a', draft(at, `agent:${at}`))
    if (at % 10 === 0) await writeCheckpoint(memory)
  }
  memory.append('a', draft(41))
  return memory
}

describe('a proof', () => {
  test('exists for every signed entry of any history, and is valid', () =>
    always(async (memory, choice) => {
      const { stream, seq, row } = pick(memory, choice)
      fc.pre(seq <= signedIn(memory, stream))
      const proof = await proven(memory, stream, seq)
      expect(proof.entry).toEqual(row.body)
      expect(checkProof(structuredClone(proof), memory.keys, memory)).toEqual({ ok: true, value: row.body })
      const text = JSON.stringify(proof)
      for (const { body } of [...memory.stored.entries.values()].flat())
        if (body !== row.body) expect(text).not.toContain(JSON.stringify(body))
    }))

  test('is invalid with any of its bytes changed', async () => {
    const memory = await signedAudit()
    const bytes = Buffer.from(JSON.stringify(await proven(memory, 'a', 17)))
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ flip
        expect(holds(changed.toString('utf8'), memory)).toBe(false)
      }),
      { numRuns: 3000 },
    )
    expect(holds(bytes.toString('utf8'), memory)).toBe(true)
  })

  test('is invalid with a path that is longer, shorter or another entry’s', async () => {
    const memory = await signedAudit()
    const proof = await proven(memory, 'a', 17)
    const other = await proven(memory, 'a', 18)
    const first = proof.path[0] ?? { side: 'left', hash: '' }
    const paths = [[], proof.path.slice(1), proof.path.slice(0, -1), [first, ...proof.path], other.path]
    for (const path of paths) expect(checkProof({ ...proof, path }, memory.keys, memory).ok).toBe(false)
    expect(checkProof({ ...proof, entry: other.entry }, memory.keys, memory).ok).toBe(false)
    const early = await proven(memory, 'a', 2)
    expect(checkProof({ ...proof, checkpoint: early.checkpoint }, memory.keys, memory)).toMatchObject({
      problem: { about: { why: 'the checkpoint does not cover the entry' } },
    })
    const moved = rehashed(proof.entry, { seq: 18 })
    expect(checkProof({ ...proof, entry: moved }, memory.keys, memory).ok).toBe(false)
  })

  test('is invalid under the keys of another gate', async () => {
    const memory = await signedAudit()
    const proof = await proven(memory, 'a', 17)
    expect(checkProof(proof, memoryAudit().keys, memory)).toMatchObject({ problem: { code: 'audit.broken' } })
  })

  test.each([
    ['a', 0],
    ['a', -1],
    ['a', 1.5],
    ['a', NaN],
    ['a', 33],
    ['c', 1],
    ['', 1],
  ])('of entry `%s` %d is rejected, because there is no such entry', async (stream, seq) => {
    const memory = await signedAudit()
    expect(await proveEntry(memory, stream, seq)).toMatchObject({ problem: { code: 'audit.seq_unknown' } })
  })

  test('of an entry that no checkpoint covers yet is rejected until one does', async () => {
    const memory = await signedAudit()
    expect(await proveEntry(memory, 'a', 31)).toMatchObject({ problem: { code: 'audit.not_signed_yet' } })
    await writeCheckpoint(memory)
    expect((await proven(memory, 'a', 31)).checkpoint.body.number).toBe(5)
    const unsigned = memoryAudit()
    unsigned.append('a', draft(1))
    expect(await proveEntry(unsigned, 'a', 1)).toMatchObject({ problem: { code: 'audit.not_signed_yet' } })
  })

  test('comes from the first checkpoint that covers the entry', async () => {
    const memory = await signedAudit()
    for (const { stream, seq, body } of [...memory.stored.entries].flatMap(([stream, rows]) =>
      rows.slice(0, signedIn(memory, stream)).map((row) => ({ stream, seq: row.place, body: entryIn(row) })),
    ))
      expect((await proven(memory, stream, seq)).checkpoint.body.number).toBe(Math.ceil(body.at / 10))
  })

  test('is rejected if the audit is broken around the entry', async () => {
    const breaks: ((memory: MemoryAudit) => void)[] = [
      (memory) => memory.stored.entries.get('a')?.splice(17, 1),
      (memory) => memory.stored.checkpoints.delete('000000000002'),
      (memory) => {
        const row = memory.stored.entries.get('a')?.[16]
        if (row !== undefined) row.body = { ...entryIn(row), actor: 'somebody else' }
      },
      (memory) => {
        const row = memory.stored.entries.get('a')?.[18]
        if (row !== undefined) row.body = null
      },
    ]
    for (const breakIt of breaks) {
      const memory = await signedAudit()
      breakIt(memory)
      expect(await proveEntry(memory, 'a', 17)).toMatchObject({ problem: { code: 'audit.broken' } })
    }
  })
})

function holds(text: string, memory: MemoryAudit): boolean {
  try {
    return checkProof(JSON.parse(text), memory.keys, memory).ok
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
