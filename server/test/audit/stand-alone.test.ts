import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { exportAudit } from '../../src/commands/audit/export-audit.ts'
import { proveEntry } from '../../src/commands/audit/prove-entry.ts'
import { writeCheckpoint } from '../../src/commands/audit/write-checkpoint.ts'
import type { AuditEntry, AuditProof, Checkpoint, CheckpointBody, StreamHead } from '../../src/contract/audit.ts'
import { checkpointText } from '../../src/core/audit/checkpoint.ts'
import { rehashed } from './histories.ts'
import { draft, memoryAudit, newKeys, type MemoryAudit } from './memory-audit.ts'

const script = resolve(import.meta.dirname, '../../../docs/verify-audit.mjs')
const folder = mkdtempSync(join(tmpdir(), 'sluice-audit-'))
afterAll(() => rmSync(folder, { recursive: true }))

function run(text: string, ...args: string[]): { code: number | null; says: string } {
  const file = join(folder, 'given')
  writeFileSync(file, text)
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, file, ...args], { encoding: 'utf8', env: {} })
  return { code: status, says: stdout + stderr }
}

type Line = { kind: string; entry?: AuditEntry; checkpoint?: Checkpoint; public_key?: string; [field: string]: unknown }

/** 45 entries in two streams, signed after every tenth; their times are 1 to 45, and each checkpoint has its own time. */
async function signedAudit(): Promise<MemoryAudit> {
  const time = { now: 0 }
  const memory = { ...memoryAudit(), clock: () => time.now }
  for (time.now = 1; time.now <= 45; time.now += 1) {
    memory.append(time.now % 3 === 0 ? 'b' : 'main', draft(time.now, `agent:\u{1f600} ${time.now}`))
    if (time.now % 10 === 0) await writeCheckpoint(memory)
  }
  return memory
}

async function exported(memory: MemoryAudit, since?: number): Promise<Line[]> {
  const lines: Line[] = []
  const options = { format: 'jsonl' as const, ...(since === undefined ? {} : { since }) }
  for await (const line of exportAudit(memory, options)) lines.push(JSON.parse(line) as Line)
  return lines
}

const textOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const keyOf = (lines: readonly Line[]): string => lines.find(({ kind }) => kind === 'key')?.public_key ?? ''
const memory = await signedAudit()
const good = await exported(memory)
const key = keyOf(good)

/** The position of an entry in the valid export. */
const lineOf = (stream: string, seq: number): number =>
  good.findIndex(({ entry }) => entry?.stream === stream && entry.seq === seq)
const entryAt = (stream: string, seq: number): AuditEntry => {
  const entry = good[lineOf(stream, seq)]?.entry
  if (entry === undefined) throw new Error('the export does not contain this entry')
  return entry
}
const checkpointLine = (number: number): number =>
  good.findIndex(({ checkpoint }) => checkpoint?.body.number === number)
const changed = (at: number, line: object): Line[] => good.with(at, { ...good[at], ...line } as Line)

describe('the stand-alone verifier', () => {
  test('accepts a whole export, and says what it covers', () => {
    expect(run(textOf(good), '--key', key)).toEqual({
      code: 0,
      says: 'ok: 45 entries, 4 checkpoints\n  b: 1 to 15, 2 not signed yet\n  main: 1 to 30, 3 not signed yet\n',
    })
  })

  test('without a key says that it checked consistency, not origin', () => {
    const { code, says } = run(textOf(good))
    expect(code).toBe(0)
    expect(says).toMatch(/consistent, not where it comes from/)
  })

  test('ignores a key in the file if one is given', () => {
    const stranger = newKeys()
    const forged = good.map((line) =>
      line.checkpoint === undefined
        ? line
        : {
            ...line,
            checkpoint: { body: line.checkpoint.body, ...stranger.sign(checkpointText(line.checkpoint.body)) },
          },
    )
    const id = forged[checkpointLine(1)]?.checkpoint?.key ?? ''
    const offered = { kind: 'key', key: id, public_key: stranger.publicKey(id) ?? '' }
    const whole = forged.toSpliced(1, 0, offered)
    expect(run(textOf(whole)).code).toBe(0)
    expect(run(textOf(whole), '--key', key)).toEqual({
      code: 1,
      says: `broken: checkpoint 1 is signed with the key ${id}, which is not yours\n`,
    })
    const nameless = whole.map((line) =>
      line.checkpoint ? { ...line, checkpoint: { ...line.checkpoint, key: undefined } } : line,
    )
    expect(run(textOf(nameless as Line[]), '--key', key).code).toBe(1)
  })

  test('accepts an export since a time, which contains no older entry', async () => {
    const since = await exported(memory, 25)
    const times = since.flatMap(({ entry }) => (entry === undefined ? [] : [entry.at]))
    expect([Math.min(...times), times.length]).toEqual([25, 21])
    expect(since[2]?.checkpoint?.body.number).toBe(2)
    expect(run(textOf(since), '--key', key)).toEqual({
      code: 0,
      says: 'ok: 21 entries (and only the hash of 4 older ones), 3 checkpoints\n  b: 7 to 15, 2 not signed yet\n  main: 15 to 30, 3 not signed yet\n',
    })
    const hidden = since.findIndex(({ entry }) => entry?.seq === 20)
    const { stream, seq, hash } = since[hidden]?.entry ?? entryAt('main', 20)
    const redacted = since.with(hidden, { kind: 'link', stream, seq, hash })
    expect(run(textOf(redacted), '--key', key)).toEqual({
      code: 1,
      says: 'broken: main 20 is hidden: only its hash is shown\n',
    })
    const shortened = since.filter(({ kind, seq }) => kind !== 'link' || seq !== 15)
    expect(run(textOf(shortened), '--key', key).says).toMatch(/^broken: main 15 is missing/)
  })

  test('accepts exports from before the first checkpoint and after the last', async () => {
    for (const since of [0, 5, 44, 1000]) expect(run(textOf(await exported(memory, since)), '--key', key).code).toBe(0)
    const empty = memoryAudit()
    expect(run(textOf(await exported(empty)))).toMatchObject({ code: 0 })
    empty.append('a', draft(1))
    expect(run(textOf(await exported(empty)))).toMatchObject({ code: 0 })
  })

  const main17 = lineOf('main', 17)
  const main18 = lineOf('main', 18)
  const editedCheckpoint = (number: number, fields: object): Line[] => {
    const { body, ...rest } = good[checkpointLine(number)]?.checkpoint ?? { body: {} }
    return changed(checkpointLine(number), { checkpoint: { ...rest, body: { ...body, ...fields } } })
  }
  const resigned = (number: number, fields: Partial<CheckpointBody>): Line[] => {
    const body = good[checkpointLine(number)]?.checkpoint?.body
    if (body === undefined) throw new Error('the export does not contain this checkpoint')
    const changedBody = { ...body, ...fields }
    const checkpoint = { body: changedBody, ...memory.keys.sign(checkpointText(changedBody)) }
    return changed(checkpointLine(number), { checkpoint })
  }
  const streamsOf = (number: number): StreamHead[] => good[checkpointLine(number)]?.checkpoint?.body.streams ?? []
  const cases: Readonly<Record<string, [Line[], RegExp]>> = {
    'an edited entry': [changed(main17, { entry: { ...entryAt('main', 17), actor: 'x' } }), /main 17 is edited/],
    'an added field': [changed(main17, { entry: { ...entryAt('main', 17), more: 1 } }), /main 17 is edited/],
    'an edited entry that was hashed again': [
      changed(main17, { entry: rehashed(entryAt('main', 17), { actor: 'x' }) }),
      /main 17 is edited, or 18 is/,
    ],
    'an edited signed head that was hashed again': [
      changed(lineOf('main', 14), { entry: rehashed(entryAt('main', 14), { actor: 'x' }) }),
      /main 14, or one from 8 on, is not what checkpoint 2 signed/,
    ],
    'an edited last entry that was hashed again': [
      changed(lineOf('main', 30), { entry: rehashed(entryAt('main', 30), { actor: 'x' }) }),
      /main 30 is edited/,
    ],
    'an entry after a signed one that does not follow it': [
      changed(lineOf('main', 15), { entry: rehashed(entryAt('main', 15), { prev_hash: 'f'.repeat(64) }) }),
      /main 15 is edited: it does not follow 14/,
    ],
    'a deleted entry': [good.toSpliced(main17, 1), /main 17 is missing/],
    'the deleted first entry': [good.toSpliced(lineOf('main', 1), 1), /main 1 is missing/],
    'the deleted last entry': [good.toSpliced(lineOf('main', 30), 1), /main 30 is missing/],
    'two swapped entries': [
      good
        .with(main17, { kind: 'entry', entry: entryAt('main', 18) })
        .with(main18, { kind: 'entry', entry: entryAt('main', 17) }),
      /main 17 is missing: 18 was found/,
    ],
    'a repeated entry': [good.toSpliced(main18, 0, good[main17] ?? { kind: '' }), /main 18 is missing: 17 was found/],
    'a missing stream': [good.filter(({ entry }) => entry?.stream !== 'b'), /b 1 is missing/],
    'a truncated file': [good.slice(0, -1), /ends early/],
    'a file with more lines after its end': [[...good, good[main17] ?? { kind: '' }], /follows the last line/],
    'missing last entries': [good.toSpliced(main17, good.length - 1 - main17), /main 17 is missing/],
    'a line of an unknown kind': [good.toSpliced(5, 0, { kind: 'note' }), /unknown kind/],
    'a removed checkpoint': [good.toSpliced(checkpointLine(2), 1), /checkpoint 2 is missing: 3 was found/],
    'the removed last checkpoint': [good.toSpliced(checkpointLine(4), 1), /lines are missing/],
    'an edited checkpoint': [editedCheckpoint(3, { at: 1 }), /checkpoint 3 is forged/],
    'a checkpoint with another count': [editedCheckpoint(3, { count: 1 }), /checkpoint 3 is forged/],
    'a checkpoint with an edited signature': [
      changed(checkpointLine(3), {
        checkpoint: { ...good[checkpointLine(3)]?.checkpoint, signature: '0'.repeat(128) },
      }),
      /checkpoint 3 is forged/,
    ],
    'a signature in capitals': [
      changed(checkpointLine(3), {
        checkpoint: {
          ...good[checkpointLine(3)]?.checkpoint,
          signature: good[checkpointLine(3)]?.checkpoint?.signature.toUpperCase(),
        },
      }),
      /checkpoint 3 is forged/,
    ],
    'a signed checkpoint that follows another one': [
      resigned(3, { prev: 'f'.repeat(64) }),
      /checkpoint 2 is missing: 3 follows another one/,
    ],
    'a signed checkpoint with another root': [
      resigned(3, { streams: streamsOf(3).map((head) => ({ ...head, root: 'f'.repeat(64) })) }),
      /checkpoint 3 has another root for b/,
    ],
    'a signed checkpoint with another range': [
      resigned(3, { streams: streamsOf(3).map((head) => ({ ...head, from: head.from + 1 })) }),
      /checkpoint 3 has another root for b/,
    ],
    'a signed checkpoint that leaves out a stream': [
      resigned(1, { streams: streamsOf(1).filter(({ stream }) => stream === 'main') }),
      /checkpoint 1 leaves out b 3/,
    ],
    'a beginning that was cut off': [
      [...good.slice(0, 1), ...good.slice(checkpointLine(2))],
      /checkpoint 1 is missing: 2 was found instead/,
    ],
    'a first entry shown only by its hash': [
      changed(lineOf('main', 1), {
        kind: 'link',
        entry: undefined,
        stream: 'main',
        seq: 1,
        hash: entryAt('main', 1).hash,
      }),
      /main 1 is hidden/,
    ],
    'a checkpoint that cannot be read': [
      changed(checkpointLine(3), { checkpoint: null }),
      /checkpoint 3 cannot be read/,
    ],
    'an entry shown only by its hash': [
      changed(main17, { kind: 'link', entry: undefined, stream: 'main', seq: 17, hash: entryAt('main', 17).hash }),
      /main 17 is hidden/,
    ],
  }
  test.each(Object.entries(cases))('finds %s', (_, [lines, says]) => {
    expect(textOf(lines)).not.toBe(textOf(good))
    const found = run(textOf(lines), '--key', key)
    expect(found.says).toMatch(/^broken: [^\n]+\n$/)
    expect(found.says).toMatch(says)
    expect(found.code).toBe(1)
  })

  test.each([[''], ['{'], ['null'], ['{"kind":"export","v":1,'], ['[1]']])(
    'refuses a file that contains %j',
    (text) => {
      expect(run(text, '--key', key)).toMatchObject({ code: 1 })
    },
  )

  test('refuses text that is not a key', () => {
    expect(run(textOf(good), '--key', 'x')).toEqual({ code: 1, says: 'broken: a key is 64 hex digits\n' })
  })
})

describe('the stand-alone verifier of proofs', async () => {
  const proved = await proveEntry(memory, 'main', 17)
  if (!proved.ok) throw new Error('the entry is not signed')
  const proof: AuditProof = proved.value

  test('accepts a proof, also a pretty-printed one', () => {
    const says = 'ok: main 17 is in the audit that checkpoint 3 signed\n'
    expect(run(JSON.stringify(proof), '--key', key)).toEqual({ code: 0, says })
    expect(run(JSON.stringify(proof, null, 2), '--key', key)).toEqual({ code: 0, says })
    expect(run(JSON.stringify(proof)).says).toMatch(/consistent, not where it comes from/)
  })

  const [first = { side: 'left' as const, hash: '' }, ...others] = proof.path
  const flipped = { ...first, side: first.side === 'left' ? 'right' : 'left' }
  const body = proof.checkpoint.body
  test.each<[string, object, RegExp]>([
    ['the entry', { entry: { ...proof.entry, at: 0 } }, /main 17 is edited/],
    ['the entry, hashed again', { entry: rehashed(proof.entry, { at: 0 }) }, /not under the signed root/],
    ['the number', { entry: rehashed(proof.entry, { seq: 30 }) }, /not covered/],
    ['the stream', { entry: rehashed(proof.entry, { stream: 'c' }) }, /not covered/],
    ['the path', { path: [{ ...first, hash: 'f'.repeat(64) }, ...others] }, /not under the signed root/],
    ['a side', { path: [flipped, ...others] }, /not under the signed root/],
    ['the length of the path', { path: others }, /not under the signed root/],
    ['the letter case of the path', { path: [{ ...first, hash: first.hash.toUpperCase() }, ...others] }, /no path/],
    ['the checkpoint', { checkpoint: { ...proof.checkpoint, body: { ...body, at: 0 } } }, /checkpoint 3 is forged/],
    ['the signature', { checkpoint: { ...proof.checkpoint, signature: 'f'.repeat(128) } }, /forged/],
    ['the public key', { public_key: 'f'.repeat(64) }, /not the one that signed/],
  ])('refuses a proof with another value of %s', (_, fields, says) => {
    const found = run(JSON.stringify({ ...proof, ...fields }), '--key', key)
    expect(found.says).toMatch(says)
    expect(found.code).toBe(1)
  })

  test('refuses a proof under another key', () => {
    expect(run(JSON.stringify(proof), '--key', 'ab'.repeat(32)).says).toMatch(/which is not yours/)
  })
})
