import { pick } from '../../../../test/chaos/random.ts'
import { lineTexts, rewrittenFrom, sealed, unsignedEnd, type Line } from './export-lines.suite.ts'

/** Exports that are right: the one that is changed, an earlier one of the same gate, and one of another gate. */
export type Exports = { readonly text: string; readonly earlier: string; readonly foreign: string }
type Mutation = (text: string, random: () => number, exports: Exports) => string

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1)
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
const parsed = (text: string): Line[] => linesOf(text).map((line) => JSON.parse(line) as Line)
const below = (random: () => number, count: number): number => Math.floor(random() * count)

const withBytes = (text: string, change: (bytes: Buffer<ArrayBuffer>) => Buffer): string =>
  change(Buffer.from(text, 'latin1')).toString('latin1')

/** Changes the parsed lines, and adapts the last line to them as far as that is possible without the key. */
function withLines(text: string, random: () => number, change: (lines: Line[]) => Line[]): string {
  const lines = change(parsed(text))
  const counted = lines.map((line) => (line.kind === 'end' ? { ...line, ...countsOf(lines) } : line))
  const ended = random() < 0.5 ? counted : counted.map((line) => (line.kind === 'end' ? unsignedEnd([line]) : line))
  return Buffer.from(lineTexts(sealed(ended)), 'utf8').toString('latin1')
}
const countsOf = (lines: readonly Line[]) => ({
  entries: lines.filter(({ kind }) => kind === 'entry').length,
  checkpoints: lines.filter(({ kind }) => kind === 'checkpoint').length,
})

function someField(line: Line, random: () => number): Line {
  const copy = structuredClone(line)
  let at: Record<string, unknown> = copy
  for (;;) {
    const name = pick(random, Object.keys(at))
    const value = at[name]
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0 && random() < 0.8)
      at = value as Record<string, unknown>
    else if (random() < 0.2) return (delete at[name], copy)
    else return ((at[name] = random() < 0.5 ? 'other' : typeof value === 'number' ? value + 1 : 7), copy)
  }
}

/** Each takes the text of an export as latin1, so that every byte of it can be changed. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a flipped bit': (text, random) =>
    withBytes(text, (bytes) => {
      const at = below(random, bytes.length)
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << below(random, 8)), at)
      return bytes
    }),
  'a removed byte': (text, random) => {
    const at = below(random, text.length)
    return text.slice(0, at) + text.slice(at + 1)
  },
  'an added byte': (text, random) => {
    const at = below(random, text.length + 1)
    return text.slice(0, at) + pick(random, [' ', '\n', '\r', '"', '0', '{', ',', '\0']) + text.slice(at)
  },
  'a truncated file': (text, random) => text.slice(0, below(random, text.length)),
  'a removed line': (text, random) => joined(linesOf(text).toSpliced(below(random, linesOf(text).length), 1)),
  'a repeated line': (text, random) => {
    const lines = linesOf(text)
    return joined(lines.toSpliced(below(random, lines.length), 0, pick(random, lines)))
  },
  'a moved line': (text, random) => {
    const lines = linesOf(text)
    const [moved = ''] = lines.splice(below(random, lines.length), 1)
    return joined(lines.toSpliced(below(random, lines.length + 1), 0, moved))
  },
  'two exports of one gate in one': (text, random, { earlier }) => {
    const [one, other] = random() < 0.5 ? [linesOf(text), linesOf(earlier)] : [linesOf(earlier), linesOf(text)]
    return joined([...one.slice(0, 1 + below(random, one.length)), ...other.slice(below(random, other.length))])
  },
  'the export of another gate in it': (text, random, { foreign }) => {
    const [one, other] = [linesOf(text), linesOf(foreign)]
    const from = below(random, other.length)
    return joined(one.toSpliced(below(random, one.length), below(random, 3), ...other.slice(from, from + 3)))
  },
  'the whole export of another gate': (_, __, { foreign }) => foreign,
  'a changed field': (text, random) =>
    withLines(text, random, (lines) => {
      const at = below(random, lines.length)
      return lines.with(at, someField(lines[at] ?? { kind: '' }, random))
    }),
  'an entry that was hashed again, with those after it': (text, random) =>
    withLines(text, random, (lines) => {
      const rewritten = rewrittenFrom(lines, below(random, lines.length))
      return random() < 0.5 ? rewritten : rewritten.filter(({ kind }) => kind !== 'checkpoint')
    }),
  'a removed checkpoint': (text, random) =>
    withLines(text, random, (lines) => {
      const numbers = lines.flatMap(({ kind }, at) => (kind === 'checkpoint' ? [at] : []))
      return random() < 0.3
        ? lines.filter(({ kind }) => kind !== 'checkpoint')
        : lines.toSpliced(pick(random, numbers), 1)
    }),
  'another end': (text, random) =>
    withLines(text, random, (lines) => {
      const kept = lines.slice(0, 1 + below(random, lines.length - 1))
      const heads = new Map(kept.flatMap(({ entry }) => (entry === undefined ? [] : [[entry.stream, entry]])))
      const ends = [...heads.values()].map(({ stream, seq, hash }) => ({ stream, seq, hash }))
      return [...kept, { ...(lines.at(-1) ?? { kind: 'end' }), heads: ends }]
    }),
  'a name that stands twice': (text, random) => {
    const names = [...text.matchAll(/"[a-z_]+":/g)]
    const { index, 0: name } = pick(random, names)
    return `${text.slice(0, index)}${name}"other",${text.slice(index)}`
  },
  'something beside what is signed': (text, random) =>
    withLines(text, random, (lines) => {
      const at = below(random, lines.length)
      const line = lines[at] ?? { kind: '' }
      const inside = line.checkpoint === undefined ? {} : { checkpoint: { ...line.checkpoint, note: 1 } }
      return lines.with(at, { ...line, ...(random() < 0.5 ? inside : {}), note: 'approved' })
    }),
}
