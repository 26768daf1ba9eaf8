import * as fc from 'fast-check'
import { expect } from 'vitest'
import { writeCheckpoint } from '../write-checkpoint.ts'
import type { AuditDraft, AuditEntry, AuditFinding, AuditReport } from '../../contract/audit.ts'
import { entryText } from '../chain.ts'
import { digest, memoryAudit, type MemoryAudit, type PlacedBody } from './memory-audit.suite.ts'

const word = fc.string({ unit: 'grapheme', maxLength: 8 })

export const someDraft: fc.Arbitrary<AuditDraft> = fc.record(
  {
    at: fc.nat(),
    type: fc.constantFrom('call.held', 'call.executed', 'approval.approved'),
    actor: word,
    trace: word,
    subject: fc.dictionary(fc.constantFrom('call', 'tool', 'run'), word),
    args_hash: word.map(digest),
    outcome: word,
    about: fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(word, fc.integer(), fc.array(word, { maxLength: 2 })),
    ),
  },
  { requiredKeys: ['at', 'type', 'actor', 'trace', 'subject'] },
)

type Act = { readonly stream: string; readonly draft: AuditDraft } | 'sign'

/** Entries of up to three streams with occasional checkpoints. At least one entry. */
export const someHistory: fc.Arbitrary<readonly Act[]> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ stream: fc.constantFrom('a', 'b', 'c'), draft: someDraft }) },
      { weight: 1, arbitrary: fc.constant('sign' as const) },
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  )
  .filter((acts) => acts.some((act) => act !== 'sign'))

export async function play(history: readonly Act[]): Promise<MemoryAudit> {
  const memory = memoryAudit()
  for (const act of history) {
    if (act === 'sign') await writeCheckpoint(memory)
    else memory.append(act.stream, act.draft)
  }
  return memory
}

/** One entry, chosen by a number that works for any history. */
export function pick(
  memory: MemoryAudit,
  choice: number,
): { stream: string; seq: number; rows: PlacedBody[]; row: PlacedBody } {
  const all = [...memory.stored.entries].flatMap(([stream, rows]) => rows.map((row) => ({ stream, rows, row })))
  const chosen = all[choice % all.length]
  if (chosen === undefined) throw new Error('a history has no entry')
  return { ...chosen, seq: chosen.row.place }
}

export const entryIn = (row: PlacedBody): AuditEntry => row.body as AuditEntry

/** The entry with other fields and a matching hash: what an attacker who knows our source code would do. */
export function rehashed(entry: AuditEntry, fields: Partial<AuditEntry>): AuditEntry {
  const { hash: _, ...unhashed } = { ...entry, ...fields }
  return { ...unhashed, hash: digest(entryText(unhashed)) }
}

/** The last entry of a stream that the newest checkpoint covers. */
export function signedIn(memory: MemoryAudit, stream: string): number {
  const bodies = [...memory.stored.checkpoints.values()].map(({ body }) => body as { body: { streams: Head[] } })
  return Math.max(
    0,
    ...bodies.flatMap(({ body }) => body.streams.filter((head) => head.stream === stream).map(({ to }) => to)),
  )
}
type Head = { stream: string; to: number }

/** A law about every history, every place in it, and a second number to vary the mutation with. */
export function always(law: (memory: MemoryAudit, choice: number, other: number) => Promise<void>): Promise<void> {
  return fc.assert(
    fc.asyncProperty(someHistory, fc.nat(), fc.nat(), async (history, choice, other) => {
      await law(await play(history), choice, other)
    }),
    { numRuns: 100 },
  )
}

export function expectFound(
  report: AuditReport,
  what: readonly AuditFinding['what'][],
  stream: string,
  seq: number,
): void {
  expect(report.ok).toBe(false)
  expect(report.first).toMatchObject({ stream, seq })
  expect(what).toContain(report.first?.what)
}

/** What an attacker without a key can do: edit one entry and recompute all hashes after it. */
export function rewriteFrom(
  memory: MemoryAudit,
  stream: string,
  seq: number,
  edit: Partial<AuditEntry> = { actor: 'somebody else' },
): void {
  const rows = memory.stored.entries.get(stream) ?? []
  let before: string | undefined
  for (const row of rows.slice(seq - 1)) {
    const changed = before === undefined ? edit : { prev_hash: before }
    row.body = rehashed(entryIn(row), changed)
    before = entryIn(row).hash
  }
  memory.stored.heads.set(stream, { seq: rows.length, hash: before ?? '' })
}

/** Cuts a stream before an entry and corrects its head. */
export function cutBefore(memory: MemoryAudit, { stream, seq, rows, row }: ReturnType<typeof pick>): void {
  const { prev_hash } = entryIn(row)
  rows.splice(seq - 1)
  if (seq === 1) memory.stored.heads.delete(stream)
  else memory.stored.heads.set(stream, { seq: seq - 1, hash: prev_hash })
}
