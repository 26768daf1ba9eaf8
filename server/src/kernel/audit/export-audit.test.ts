import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { always, entryIn, pick } from './test/histories.suite.ts'
import { checkpointsOf, draft, memoryAudit, type MemoryAudit } from './test/memory-audit.suite.ts'
import type { AuditEntry } from '../contract/audit.ts'
import { csvHeader, csvRow, exportAudit } from './export-audit.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

async function exported(memory: MemoryAudit, format: 'jsonl' | 'csv', since?: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportAudit(memory, { format, ...(since === undefined ? {} : { since }) })) lines.push(line)
  return lines
}
type Line = { kind: string; entry?: AuditEntry; checkpoint?: unknown }
const parsed = (lines: readonly string[]): Line[] => lines.map((line) => JSON.parse(line) as Line)

describe('an export as jsonl', () => {
  test('contains every entry and checkpoint of any history once, entries before the checkpoint that signs them', () =>
    always(async (memory) => {
      const lines = parsed(await exported(memory, 'jsonl'))
      expect(lines[0]).toMatchObject({ kind: 'export', v: 2, since: null })
      expect(lines.at(-1)).toMatchObject({ kind: 'end' })
      expect(lines.filter(({ kind }) => kind === 'key')).toHaveLength(checkpointsOf(memory).length === 0 ? 0 : 1)
      for (const [stream, rows] of memory.stored.entries)
        expect(lines.flatMap(({ entry }) => (entry?.stream === stream ? [entry] : []))).toEqual(rows.map(entryIn))
      expect(lines.flatMap(({ checkpoint }) => (checkpoint === undefined ? [] : [checkpoint]))).toEqual(
        checkpointsOf(memory),
      )
      for (const checkpoint of checkpointsOf(memory)) {
        const before = lines.slice(
          0,
          lines.findIndex((line) => isDeepStrictEqual(line.checkpoint, checkpoint)),
        )
        for (const { stream, to } of checkpoint.body.streams)
          expect(before.filter(({ entry }) => entry?.stream === stream)).toHaveLength(to)
      }
    }))

  test('exports broken data as it is, without an exception or a repetition', () =>
    always(async (memory, choice, other) => {
      const { rows, seq, row } = pick(memory, choice)
      if (other % 3 === 0) rows.splice(seq - 1, 1)
      if (other % 3 === 1) row.body = null
      if (other % 3 === 2) row.body = { ...entryIn(row), seq: 1000 }
      const texts = (await exported(memory, 'jsonl')).filter((line) => line.startsWith('{"entry":'))
      expect(new Set(texts).size).toBe(texts.length)
      const left = [...memory.stored.entries.values()].flat().filter(({ body }) => body !== null)
      if (other % 3 !== 2) expect(texts.filter((text) => !text.startsWith('{"entry":null'))).toHaveLength(left.length)
    }))

  test('shows an unreadable checkpoint as nothing, which a verifier detects', async () => {
    const memory = memoryAudit()
    memory.append('a', draft(1))
    await writeCheckpoint(memory)
    const [row] = memory.stored.checkpoints.values()
    if (row !== undefined) row.body = 'garbage'
    expect(parsed(await exported(memory, 'jsonl'))).toContainEqual({ kind: 'checkpoint', checkpoint: null })
    expect(parsed(await exported(memory, 'jsonl', 5)).at(-1)).toMatchObject({ kind: 'end' })
  })
})

describe('an export as csv', () => {
  test('contains one row for each entry since the requested time', async () => {
    const memory = memoryAudit()
    for (let at = 1; at <= 20; at += 1) memory.append('a', draft(at))
    await writeCheckpoint(memory)
    expect((await exported(memory, 'csv', 15)).slice(1)).toHaveLength(6)
    const lines = await exported(memory, 'csv')
    expect(lines).toHaveLength(21)
    expect(lines[0]).toBe(csvHeader)
    expect(lines[2]).toMatch(
      /^"a",2,2,"1970-01-01T00:00:00.002Z","call.held","agent:a","t1","\{""call"":""call_1"",""tool"":""shop__buy""\}"/,
    )
  })

  test('never has a cell that a spreadsheet would evaluate', () => {
    const tricky = fc
      .tuple(
        fc.constantFrom('', ' ', '\t', '\r\n', '\0', '\u00a0', '\ufeff'),
        fc.constantFrom('=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠'),
        fc.string(),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(tricky, (text) => {
        const row = csvRow({ ...draft(1), v: 1, stream: text, seq: 1, prev_hash: '', hash: '', actor: text })
        expect(row.startsWith(`"'${text.replaceAll('"', '""')}",1,`)).toBe(true)
      }),
    )
  })

  test('keeps any text complete, so that an RFC 4180 parser gets it back', () => {
    const harmless = fc.string({ unit: 'binary' }).map((text) => `a${text}`)
    fc.assert(
      fc.property(harmless, (text) => {
        const row = csvRow({ stream: text, seq: 1 })
        const cell = /^"((?:[^"]|"")*)",1,/.exec(row)?.[1]
        expect(cell?.replaceAll('""', '"')).toBe(text)
      }),
    )
  })

  test('has a row with empty cells for an unreadable entry', () => {
    expect(csvRow({}).split(',')).toHaveLength(csvHeader.split(',').length)
    expect(csvRow({ at: 9e99 })).toContain('9e+99')
  })
})
