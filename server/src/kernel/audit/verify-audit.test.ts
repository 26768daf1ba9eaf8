import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  always,
  cutBefore,
  entryIn,
  expectFound,
  pick,
  rehashed,
  rewriteFrom,
  signedIn,
} from './test/histories.suite.ts'
import { checkpointsOf, draft, memoryAudit } from './test/memory-audit.suite.ts'
import type { AuditDraft } from '../contract/audit.ts'
import { verifyAudit } from './verify-audit.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

const EDITS: readonly ((entry: Record<string, unknown>) => Record<string, unknown>)[] = [
  (entry) => ({ ...entry, at: Number(entry['at']) + 1 }),
  (entry) => ({ ...entry, at: String(entry['at']) }),
  (entry) => ({ ...entry, type: 'call.refused' }),
  (entry) => ({ ...entry, actor: `${String(entry['actor'])}x` }),
  (entry) => ({ ...entry, trace: null }),
  (entry) => ({ ...entry, subject: { ...(entry['subject'] as object), more: 'x' } }),
  (entry) => ({ ...entry, args_hash: '0'.repeat(64) }),
  (entry) => ({ ...entry, outcome: `${String(entry['outcome'])}x` }),
  (entry) => ({ ...entry, verdict: { effect: 'block', evidence: [] } }),
  (entry) => ({ ...entry, about: { hidden: [] } }),
  (entry) => ({ ...entry, surprise: true }),
  (entry) => ({ ...entry, v: 2 }),
  (entry) => ({ ...entry, seq: Number(entry['seq']) + 1 }),
  (entry) => ({ ...entry, stream: `${String(entry['stream'])}x` }),
  (entry) => ({ ...entry, prev_hash: 'f'.repeat(64) }),
  (entry) => ({ ...entry, hash: 'f'.repeat(64) }),
  (entry) => ({ ...entry, hash: '' }),
  (entry) => Object.fromEntries(Object.entries(entry).filter(([field]) => field !== 'actor')),
]

describe('an intact audit', () => {
  test('verifies, and every entry and checkpoint is counted', () =>
    always(async (memory) => {
      const report = await verifyAudit(memory)
      expect(report.first).toBeUndefined()
      const lengths = [...memory.stored.entries].map(([stream, rows]) => ({ stream, seq: rows.length }))
      const entries = lengths.reduce((sum, { seq }) => sum + seq, 0)
      const signed = lengths.reduce((sum, { stream }) => sum + signedIn(memory, stream), 0)
      const checkpoints = memory.stored.checkpoints.size
      expect(report).toMatchObject({ ok: true, entries, checkpoints, unsigned: entries - signed })
      expect(report.streams.map(({ stream, seq }) => ({ stream, seq }))).toEqual(lengths)
      expect(await verifyAudit(memory, { against: checkpointsOf(memory) })).toEqual(report)
    }))

  test('verifies while entries and checkpoints are added', async () => {
    const memory = memoryAudit()
    for (let at = 0; at < 600; at += 1) {
      memory.append('a', draft(at))
      if (at % 100 === 50) await writeCheckpoint(memory)
    }
    const busy = {
      ...memory.audit,
      entries: async (stream: string, from: number, limit: number) => {
        if (memory.stored.checkpoints.size < 40) await writeCheckpoint(memory)
        memory.append('a', draft(from))
        memory.append('b', draft(from))
        return memory.audit.entries(stream, from, limit)
      },
    }
    expect(await verifyAudit({ ...memory, audit: busy })).toMatchObject({ ok: true })
  })
})

describe('after one change the first bad entry is named when', () => {
  test('any field of any entry is edited', () =>
    always(async (memory, choice, other) => {
      const { stream, seq, row } = pick(memory, choice)
      row.body = EDITS[other % EDITS.length]?.({ ...entryIn(row) })
      expectFound(await verifyAudit(memory), ['edited', 'unreadable'], stream, seq)
    }))

  test('any entry is edited and rehashed, but not the ones after it', () =>
    always(async (memory, choice, other) => {
      const { stream, seq, row } = pick(memory, choice)
      const fields = [{ actor: 'somebody else' }, { prev_hash: 'f'.repeat(64) }, { outcome: 'done', at: 5 }]
      row.body = rehashed(entryIn(row), fields[other % 3] ?? {})
      expectFound(await verifyAudit(memory), ['edited', 'checkpoint_mismatch'], stream, seq)
    }))

  test('any entry is deleted', () =>
    always(async (memory, choice) => {
      const { stream, seq, rows } = pick(memory, choice)
      const isLast = seq === rows.length
      rows.splice(seq - 1, 1)
      const what = isLast && seq > 1 ? 'truncated' : 'missing'
      expectFound(await verifyAudit(memory), [what], stream, seq)
    }))

  test('any two entries are swapped', () =>
    always(async (memory, choice, other) => {
      const one = pick(memory, choice)
      const two = pick(memory, other)
      fc.pre(one.row !== two.row)
      ;[one.row.body, two.row.body] = [two.row.body, one.row.body]
      const report = await verifyAudit(memory)
      expect([one, two].map(({ stream, seq }) => ({ stream, seq }))).toContainEqual({
        stream: report.first?.stream,
        seq: report.first?.seq,
      })
      const seq = one.stream === two.stream ? Math.min(one.seq, two.seq) : report.first?.seq
      expectFound(report, ['reordered'], report.first?.stream ?? '', seq ?? 0)
    }))

  test('the tail of a stream is cut', () =>
    always(async (memory, choice) => {
      const { stream, seq, rows } = pick(memory, choice)
      rows.splice(seq - 1)
      expectFound(await verifyAudit(memory), [seq === 1 ? 'missing' : 'truncated'], stream, seq)
    }))

  test('the tail of a stream is cut, and the heads with it, after a checkpoint', () =>
    always(async (memory, choice) => {
      const picked = pick(memory, choice)
      const { stream, seq } = picked
      fc.pre(seq <= signedIn(memory, stream))
      cutBefore(memory, picked)
      expectFound(await verifyAudit(memory), [seq === 1 ? 'missing' : 'truncated'], stream, seq)
    }))

  test('an entry with a matching link is inserted, and those after it are renumbered', () =>
    always(async (memory, choice, other) => {
      const { stream, seq, rows, row } = pick(memory, choice)
      const inserted = rehashed(entryIn(row), { actor: 'somebody else' })
      for (const later of rows.slice(seq - 1)) {
        later.place += 1
        if (other % 2 === 0) later.body = { ...entryIn(later), seq: later.place }
      }
      rows.push({ place: seq, body: inserted })
      const named = await verifyAudit(memory)
      expectFound(named, ['reordered', 'edited', 'checkpoint_mismatch'], stream, seq)
    }))

  test('an entry with a matching link is added after the head', () =>
    always(async (memory, choice) => {
      const { stream, rows } = pick(memory, choice)
      const last = rows.at(-1)
      if (last === undefined) throw new Error('a stream has an entry')
      const { seq, hash } = entryIn(last)
      rows.push({ place: seq + 1, body: rehashed(entryIn(last), { seq: seq + 1, prev_hash: hash }) })
      expectFound(await verifyAudit(memory), ['reordered'], stream, seq + 1)
    }))

  test('a signed entry is edited and everything after it rehashed, up to the heads: the checkpoint detects it', () =>
    always(async (memory, choice) => {
      const { stream, seq } = pick(memory, choice)
      fc.pre(seq <= signedIn(memory, stream))
      rewriteFrom(memory, stream, seq)
      const covering = checkpointsOf(memory)
        .flatMap(({ body }) => body.streams)
        .find((head) => head.stream === stream && head.to >= seq)
      expectFound(await verifyAudit(memory), ['checkpoint_mismatch'], stream, covering?.to ?? 0)
    }))

  test('the entry and the one that reveals it are on two pages', async () => {
    const memory = memoryAudit()
    for (let at = 0; at < 400; at += 1) memory.append('a', draft(at))
    for (let seq = 120; seq < 260; seq += 1) {
      const { row } = pick(memory, seq - 1)
      const kept = row.body
      row.body = rehashed(entryIn(row), { actor: 'somebody else' })
      expectFound(await verifyAudit(memory), ['edited'], 'a', seq)
      row.body = kept
    }
  })

  test('what follows a signed entry is rewritten without a matching link', async () => {
    const memory = memoryAudit()
    for (let at = 0; at < 5; at += 1) memory.append('a', draft(at))
    await writeCheckpoint(memory)
    const against = checkpointsOf(memory)
    for (let at = 5; at < 9; at += 1) memory.append('a', draft(at))
    rewriteFrom(memory, 'a', 6, { prev_hash: 'f'.repeat(64) })
    expectFound(await verifyAudit(memory), ['edited'], 'a', 6)
    memory.stored.checkpoints.clear()
    expectFound(await verifyAudit(memory, { against }), ['edited'], 'a', 6)
    // Without any signature it is unclear which of the two was changed; the one that has a successor counts.
    expectFound(await verifyAudit(memory), ['edited'], 'a', 5)
  })

  test('a row cannot be read at all', () =>
    always(async (memory, choice) => {
      const { stream, seq, row } = pick(memory, choice)
      row.body = 'garbage'
      expectFound(await verifyAudit(memory), ['unreadable'], stream, seq)
    }))

  test('a row contains something other than an entry', () =>
    always(async (memory, choice, other) => {
      const { stream, seq, row } = pick(memory, choice)
      const bodies = [null, 7, 'text', [], {}, { seq: 1 }, { ...entryIn(row), actor: '\ud800' }]
      row.body = bodies[other % bodies.length]
      expectFound(await verifyAudit(memory), ['unreadable'], stream, seq)
    }))

  test('a row contains an intact entry of an unknown format', async () => {
    const memory = memoryAudit()
    const { subject: _, ...bare } = draft(1)
    memory.append('a', draft(0))
    memory.append('a', bare as AuditDraft)
    expectFound(await verifyAudit(memory), ['unreadable'], 'a', 2)
  })

  test('a row is nested deeper than anything we write', async () => {
    const memory = memoryAudit()
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as AuditDraft['about']
    memory.append('a', { ...draft(1), about: { deep } as AuditDraft['about'] })
    expectFound(await verifyAudit(memory), ['unreadable'], 'a', 1)
  })

  test('a head is edited, set back or removed', () =>
    always(async (memory, choice, other) => {
      const { stream, rows } = pick(memory, choice)
      const seq = rows.length
      const body = rows.map(entryIn)
      if (other % 3 === 0) memory.stored.heads.set(stream, { seq, hash: 'f'.repeat(64) })
      if (other % 3 === 1) memory.stored.heads.set(stream, { seq: seq - 1, hash: body[seq - 1]?.prev_hash ?? '' })
      if (other % 3 === 2) memory.stored.heads.delete(stream)
      const report = await verifyAudit(memory)
      // A stream that neither a head nor a checkpoint names cannot be found.
      fc.pre(!(other % 3 !== 0 && memory.stored.heads.get(stream) === undefined && signedIn(memory, stream) === 0))
      const invisible = other % 3 === 1 && seq === 1 && signedIn(memory, stream) === 0
      if (!invisible) expectFound(report, ['edited', 'reordered'], stream, other % 3 === 2 ? 1 : seq)
    }))
})

test('verification reports its progress, and reads no page twice', async () => {
  const memory = memoryAudit()
  for (let at = 0; at < 2500; at += 1) {
    memory.append('a', draft(at))
    if (at % 10 === 0) await writeCheckpoint(memory)
  }
  let read = 0
  const audit = {
    ...memory.audit,
    entries: async (stream: string, from: number, limit: number) => {
      const page = await memory.audit.entries(stream, from, limit)
      read += page.length
      return page
    },
  }
  const seen: number[] = []
  await verifyAudit({ ...memory, audit }, { onProgress: ({ entries }) => seen.push(entries) })
  expect(seen).toEqual([1000, 2000, 2500])
  expect(read).toBeLessThan(2500 * 1.05)
})
