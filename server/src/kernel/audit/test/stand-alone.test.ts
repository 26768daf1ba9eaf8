import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { exportAudit } from '../export-audit.ts'
import { proveEntry } from '../prove-entry.ts'
import { writeCheckpoint } from '../write-checkpoint.ts'
import type { AuditEntry, AuditProof, CheckpointBody, StreamHead } from '../../contract/audit.ts'
import { checkpointText } from '../checkpoint.ts'
import { lineTexts, rewrittenFrom, sealed, unsignedEnd, type Line } from './export-lines.suite.ts'
import { rehashed } from './histories.suite.ts'
import { draft, memoryAudit, newKeys, type MemoryAudit } from './memory-audit.suite.ts'

const script = resolve(import.meta.dirname, '../../../../../docs/verify-audit.mjs')
const folder = mkdtempSync(join(tmpdir(), 'sluice-audit-'))
afterAll(() => rmSync(folder, { recursive: true }))

function run(text: string, ...args: string[]): { code: number | null; says: string } {
  const file = join(folder, 'given')
  writeFileSync(file, text)
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, file, ...args], { encoding: 'utf8', env: {} })
  return { code: status, says: stdout + stderr }
}

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

/** As the gate would write these lines: what is wrong with them is not hidden behind an end that does not match. */
const textOf = (lines: readonly Line[], keys = memory.keys): string => lineTexts(sealed(lines, keys))
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

const streamsOf = (number: number): StreamHead[] => good[checkpointLine(number)]?.checkpoint?.body.streams ?? []

describe('the stand-alone verifier', () => {
  test('accepts a whole export, and says what it covers', () => {
    expect(lineTexts(good)).toBe(textOf(good))
    expect(run(textOf(good), '--key', key)).toEqual({
      code: 0,
      says: 'ok: 45 entries, 5 checkpoints, exported 1970-01-01T00:00:00.046Z\n  b: 1 to 15\n  main: 1 to 30\n',
    })
  })

  test('without a key says that it checked consistency, not origin', () => {
    const { code, says } = run(textOf(good))
    expect(code).toBe(2)
    expect(says).toMatch(/NOT SIGNED: 45 of 45 entries are not covered by a key of yours: no --key was given/)
  })

  test('reports how many entries a broken audit could not sign', async () => {
    const broken = await signedAudit()
    const found = { at: 1, stream: 'main', seq: 1, says: 'it is broken' }
    await broken.checkpointFile.keep({ ...broken.checkpointFile.state(), broken: found })
    const lines = await exported(broken)
    expect(lines.at(-1)).toMatchObject({ kind: 'end', unsigned: 'audit.broken' })
    expect(run(lineTexts(lines), '--key', keyOf(lines))).toEqual({
      code: 2,
      says: expect.stringMatching(
        /^consistent: 45 entries, 4 checkpoints[^]*2 not signed yet[^]*3 not signed yet\nNOT SIGNED: 5 of 45 entries .* the last line is not signed \(audit\.broken\)/,
      ) as string,
    })
  })

  test('does not accept a rewritten export without checkpoints, an empty one, or one cut at an earlier checkpoint', () => {
    const rewritten = lineTexts(sealed(rewrittenFrom(good.filter(({ kind }) => kind !== 'checkpoint'))))
    expect(run(rewritten, '--key', key)).toMatchObject({ code: 1, says: 'broken: the last line is forged\n' })
    const ends: Line[] = [good.at(-1) ?? { kind: '' }, unsignedEnd(good)]
    for (const [index, end] of ends.entries()) {
      const empty = { ...end, entries: 0, checkpoints: 0, heads: [] }
      expect(run(lineTexts(sealed([good[0] ?? { kind: '' }, empty])), '--key', key).code).toBe(index + 1)
      const cut = good.slice(0, checkpointLine(2) + 1)
      const heads = streamsOf(2).map(({ stream, to, head }) => ({ stream, seq: to, hash: head }))
      const shorter = { ...end, entries: 20, checkpoints: 2, heads }
      expect(run(lineTexts(sealed([...cut, shorter])), '--key', key).code).toBe(index + 1)
    }
  })

  test.each<[string, (text: string) => string, RegExp]>([
    ['a name that stands twice', (text) => text.replace('"actor":', '"actor":"user:ceo","actor":'), /canonical form/],
    ['a space', (text) => text.replace('"actor":', '"actor": '), /canonical form/],
    ['another order', (text) => text.replace(/("kind":"end"),("signature":"\w+")/, '$2,$1'), /canonical form/],
    ['an escape', (text) => text.replace('"actor"', '"\\u0061ctor"'), /canonical form/],
    ['a byte order mark', (text) => `\ufeff${text}`, /cannot be read/],
    ['line ends of another system', (text) => text.replaceAll('\n', '\r\n'), /canonical form/],
    ['no end of the last line', (text) => text.slice(0, -1), /ends early/],
    ['bytes that are not text', (text) => text.replace('agent:', 'agent\udfff:'), /broken/],
  ])('refuses %s', (_, change, says) => {
    const changedText = change(textOf(good))
    expect(changedText).not.toBe(textOf(good))
    expect(run(changedText, '--key', key)).toMatchObject({ code: 1, says: expect.stringMatching(says) as string })
  })

  test('refuses what stands beside an entry, a checkpoint or anything else that is signed', () => {
    for (const kind of ['export', 'key', 'checkpoint', 'entry', 'end']) {
      const at = good.findIndex((line) => line.kind === kind)
      const beside = run(textOf(changed(at, { note: 'approved by the ceo' })), '--key', key)
      expect(beside, kind).toMatchObject({ code: 1, says: expect.stringMatching(/consists of/) as string })
    }
    const checkpoint = { ...good[checkpointLine(3)]?.checkpoint, note: 1 }
    expect(run(textOf(changed(checkpointLine(3), { checkpoint })), '--key', key).says).toMatch(/consists of/)
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
    expect(run(textOf(whole, stranger)).code).toBe(2)
    expect(run(textOf(whole, stranger), '--key', key)).toEqual({
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
      says: 'ok: 21 entries (and only the hash of 4 older ones), 4 checkpoints, exported 1970-01-01T00:00:00.046Z, with everything since 1970-01-01T00:00:00.025Z\n  b: 7 to 15\n  main: 15 to 30\n',
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
    const emptyKey = empty.keys.publicKeys()[0]?.public_key ?? ''
    expect(run(lineTexts(await exported(empty)), '--key', emptyKey)).toMatchObject({ code: 0 })
    expect(run(lineTexts(await exported(empty)), '--key', key)).toMatchObject({ code: 1 })
    empty.append('a', draft(1))
    expect(run(lineTexts(await exported(empty)), '--key', emptyKey)).toMatchObject({ code: 0 })
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
      /main 30, or one from 28 on, is not what checkpoint 5 signed/,
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
    'missing last entries': [good.toSpliced(main17, good.length - 1 - main17), /b 11 is missing/],
    'a line of an unknown kind': [good.toSpliced(5, 0, { kind: 'note' }), /unknown kind/],
    'a removed checkpoint': [good.toSpliced(checkpointLine(2), 1), /checkpoint 2 is missing: 3 was found/],
    'a removed newer checkpoint': [good.toSpliced(checkpointLine(4), 1), /checkpoint 4 is missing: 5 was found/],
    'the removed last checkpoint': [good.toSpliced(checkpointLine(5), 1), /lines are missing/],
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
    expect(run(JSON.stringify(proof)).says).toMatch(/^consistent: main 17[^]*no --key was given/)
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

  test('refuses a proof in which a name stands twice, or something beside what is signed', () => {
    const twice = JSON.stringify(proof).replace('"actor":', '"actor":"user:ceo","actor":')
    expect(run(twice, '--key', key)).toMatchObject({ code: 1, says: expect.stringMatching(/twice/) as string })
    for (const more of [
      { note: 1 },
      { checkpoint: { ...proof.checkpoint, note: 1 } },
      { path: [{ ...first, note: 1 }] },
    ])
      expect(run(JSON.stringify({ ...proof, ...more }), '--key', key).says).toMatch(/consists of/)
  })

  test('refuses a proof under another key', () => {
    expect(run(JSON.stringify(proof), '--key', 'ab'.repeat(32)).says).toMatch(/which is not yours/)
  })
})
