import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { SOUND } from './documents.suite.ts'
import { readDocument } from './read-document.ts'

/** One kind of mistake: how it changes a document, the resulting message, and the text on whose line it is reported. */
type Mistake = {
  readonly kind: string
  readonly from: string
  readonly to: (word: string) => string
  readonly says: (word: string) => string
  /** Where the message is reported; by default at the inserted text. */
  readonly at?: (word: string) => string
}
const FILE = 'workflow protocol clerk.file.v1'
const EXTERNAL = 'external schema references are not supported; use workflow.schemas'

/** None of these changes the text that another one needs, so they can be combined. */
const MISTAKES: readonly Mistake[] = [
  {
    kind: 'a missing input schema',
    from: 'inputSchemaRef: request',
    to: (word) => `inputSchemaRef: ${word}`,
    says: (word) => `${FILE}: input schema ref ${word} not found`,
  },
  {
    kind: 'a missing output schema',
    from: 'outputSchemaRef: summary',
    to: (word) => `outputSchemaRef: ${word}`,
    says: (word) => `${FILE}, step 4: output schema ref ${word} not found`,
  },
  {
    kind: 'an empty reference',
    from: 'outputSchemaRef: request',
    to: () => 'outputSchemaRef: " "',
    says: () => `${FILE}: schema ref cannot be empty`,
  },
  {
    kind: 'a duplicate schema',
    from: '    summary:\n',
    to: () => '    request: { type: object }\n    summary:\n',
    says: () => 'workflow schemas contains duplicate key request',
    at: () => 'request: { type: object }',
  },
  {
    kind: 'an invalid schema',
    from: '  protocols:\n',
    to: (word) => `    ${word}: { type: strung }\n  protocols:\n`,
    says: (word) => `workflow schema ${word}: invalid JSON Schema`,
    at: (word) => `${word}: { type: strung }`,
  },
  {
    kind: 'an external schema reference',
    from: '    request:\n',
    to: (word) => `    out_${word}: { $ref: "https://${word}.example/s.json" }\n    request:\n`,
    says: () => EXTERNAL,
    at: (word) => `out_${word}:`,
  },
  {
    kind: 'an unknown step type',
    from: 'type: plan',
    to: (word) => `type: ${word}`,
    says: (word) => `${FILE}, step 5: unknown step type "${word}"`,
  },
  {
    kind: 'an unknown nested step type',
    from: '            - type: tool',
    to: (word) => `            - type: inner_${word}`,
    says: (word) => `${FILE}, step 2.0: unknown step type "inner_${word}"`,
    at: (word) => `type: inner_${word}`,
  },
  {
    kind: 'an unknown field at the top',
    from: 'limits:\n',
    to: (word) => `top_${word}: 1\nlimits:\n`,
    says: (word) => `unknown field \`top_${word}\``,
    at: (word) => `top_${word}:`,
  },
  {
    kind: 'an unknown field of a capability',
    from: '    tool: look\n',
    to: (word) => `    tool: look\n    cap_${word}: true\n`,
    says: (word) => `unknown field \`cap_${word}\``,
    at: (word) => `cap_${word}:`,
  },
  {
    kind: 'an unknown target',
    from: 'targetAlias: boss',
    to: (word) => `targetAlias: ${word}`,
    says: (word) => `${FILE}, step 6: unknown targetAlias \`${word}\`; messaging.allowedTargets does not name it`,
  },
  {
    kind: 'a jump backward',
    from: 'default: loop',
    to: () => 'default: parsed',
    says: () => `${FILE}, step 1: goto \`parsed\` leads backward`,
  },
  {
    kind: 'unbalanced braces',
    from: 'Say what was filed: {{output}}',
    to: (word) => `Say {{${word}`,
    says: () => `${FILE}, step 4: unbalanced braces: \`{{\` without \`}}\``,
    at: (word) => `Say {{${word}`,
  },
  {
    kind: 'a negative limit',
    from: 'maxEventsPerMinute: 100',
    to: () => 'maxEventsPerMinute: -3',
    says: () => 'a limit is 0 (unlimited) or more',
  },
  {
    kind: 'too many retries',
    from: 'retries: 1\n',
    to: () => 'retries: 11\n',
    says: () => 'retries are 0 to 10',
    at: () => 'retries: 11',
  },
  {
    kind: 'a peer whose room is not admitted',
    from: 'roomId: "!office:test"\n      alias',
    to: (word) => `roomId: "!${word}:test"\n      alias`,
    says: (word) => `allowedRooms does not admit the room \`!${word}:test\`: this peer could never start anything`,
    at: (word) => `roomId: "!${word}:test"`,
  },
  {
    kind: 'an invalid schedule',
    from: '0 3 * * *',
    to: () => '0 3 * *',
    says: () => '`0 3 * *` is not a schedule: write five fields, or `@every 5m`',
  },
]

const lineOf = (text: string, piece: string): number => text.slice(0, text.indexOf(piece)).split('\n').length
/** Words that mean nothing to YAML or the parser. */
const word = fc.stringMatching(/^zq[a-z]{3,8}$/)

describe('200 documents with several different mistakes each', () => {
  test('every mistake is reported with its exact message at its line, in text order, and none hides another', () => {
    let documents = 0
    const kinds = new Set<string>()
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...MISTAKES.keys()], { minLength: 2, maxLength: 6 }),
        fc.uniqueArray(word, { minLength: 6, maxLength: 6 }),
        (chosen, words) => {
          documents += 1
          const made = chosen.flatMap((at, order) => {
            const mistake = MISTAKES[at]
            return mistake === undefined ? [] : [{ ...mistake, word: words[order] ?? '' }]
          })
          let text = SOUND
          for (const { kind, from, to, word: own } of made) {
            expect(text, kind).toContain(from)
            kinds.add(kind)
            text = text.replace(from, () => to(own))
          }
          const read = readDocument(text)
          const faults = read.ok ? [] : read.faults
          for (const { kind, says, at, to, word: own } of made) {
            const line = lineOf(text, (at ?? to)(own))
            const found = faults.filter((fault) => fault.says === says(own)).map((fault) => fault.line)
            expect(found, `${kind}\n${text}`).toContain(line)
          }
          const lines = faults.map(({ line }) => line)
          expect(lines).toEqual(lines.toSorted((a, b) => a - b))
        },
      ),
      { numRuns: 200 },
    )
    expect(documents).toBeGreaterThanOrEqual(200)
    expect(kinds.size).toBe(MISTAKES.length)
  })
})

const LINES = SOUND.split('\n')
const line = fc.nat(LINES.length - 2)
/** Random kinds of damage. */
const DAMAGE = {
  drop: line.map((at) => (lines: string[]) => lines.toSpliced(at, 1)),
  twice: line.map((at) => (lines: string[]) => lines.toSpliced(at, 0, lines[at] ?? '')),
  rename: line.map(
    (at) => (lines: string[]) =>
      lines.with(at % lines.length, (lines[at % lines.length] ?? '').replace(/([A-Za-z]+):/, '$1x:')),
  ),
  value: fc
    .tuple(
      line,
      fc.constantFrom('[]', '{}', '-1', '""', 'null', '{{', '~', 'true', '!x', '99999', '"*"', '&a x', '*a', '1e999'),
    )
    .map(
      ([at, to]) =>
        (lines: string[]) =>
          lines.with(at % lines.length, (lines[at % lines.length] ?? '').replace(/: .*$/, `: ${to}`)),
    ),
  indent: line.map((at) => (lines: string[]) => lines.with(at % lines.length, `  ${lines[at % lines.length] ?? ''}`)),
  splice: fc.tuple(line, fc.nat(40), fc.string({ maxLength: 8 })).map(([at, column, put]) => (lines: string[]) => {
    const own = lines[at % lines.length] ?? ''
    return lines.with(at % lines.length, own.slice(0, column) + put + own.slice(column))
  }),
  swap: fc.tuple(line, line).map(([a, b]) => (lines: string[]) => {
    const [one, other] = [lines[a % lines.length] ?? '', lines[b % lines.length] ?? '']
    return lines.with(a % lines.length, other).with(b % lines.length, one)
  }),
} as const

const damaged = fc
  .shuffledSubarray(Object.keys(DAMAGE) as (keyof typeof DAMAGE)[], { minLength: 2, maxLength: 4 })
  .chain((kinds) => fc.tuple(...kinds.map((kind) => DAMAGE[kind])))
  .map((all) => all.reduce((lines, damage) => damage(lines), LINES).join('\n'))

/** Every written value, by path. An accepted document contains all of them, and nothing was dropped. */
function valuesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => valuesIn(one, `${path}/${at}`))
  if (typeof value !== 'object' || value === null) return [`${path} ${JSON.stringify(value)}`]
  return Object.entries(value).flatMap(([key, one]) => valuesIn(one, `${path}/${key}`))
}

describe('200 documents with several different kinds of damage each', () => {
  test('none makes the parser throw; a rejected one has a place and a message, an accepted one is accepted completely', () => {
    let refused = 0
    fc.assert(
      fc.property(damaged, (text) => {
        const read = readDocument(text)
        if (read.ok) {
          const taken = new Set(valuesIn(read.document))
          for (const written of valuesIn(parse(text))) expect(taken).toContain(written)
          return
        }
        refused += 1
        expect(read.faults.length).toBeGreaterThan(0)
        for (const fault of read.faults) {
          expect(fault.line).toBeGreaterThan(0)
          expect(fault.line).toBeLessThanOrEqual(text.split('\n').length)
          expect(fault.column).toBeGreaterThan(0)
          expect(fault.says).toMatch(/\S/)
        }
      }),
      { numRuns: 200 },
    )
    expect(refused).toBeGreaterThan(100)
  })

  test('a renamed field is never accepted silently', () => {
    // Names that the author chooses: of constraints, of schemas and their properties, of arguments.
    const free =
      /^ {6}text:|^ {4}(?:request|summary):|^ {8}(?:run_id|titles):|^ {6}(?:type|required|properties|minimum):|argsTemplate|value: \{|- \{ name: hook/
    for (const [at, own] of LINES.entries()) {
      if (!/[A-Za-z]+:/.test(own) || free.test(own)) continue
      const text = LINES.with(at, own.replace(/([A-Za-z]+):/, '$1x:')).join('\n')
      expect(readDocument(text).ok, `line ${at + 1}: ${own}`).toBe(false)
    }
  })
})
