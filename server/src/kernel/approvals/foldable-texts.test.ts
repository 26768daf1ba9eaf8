import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../contract/json.ts'
import type { Sentence } from '../contract/sentence.ts'
import { leafSteps } from '../text/argument-roles.ts'
import { foldableTexts, SHOWN_WHOLE } from './foldable-texts.ts'

const LONG = 'x '.repeat(SHOWN_WHOLE / 2)
const sentence: Pick<Sentence, 'pieces'> = { pieces: [] }
const placesIn = (args: Json, tool = 'mail__send', said = sentence) =>
  foldableTexts(args, tool, said).map(({ at }) => at)

test.each<[string, Json, readonly string[]]>([
  ['a long text', { body: LONG }, ['/body']],
  ['a text of 299 characters, in any number of lines', { body: 'x\n'.repeat(149) }, []],
  ['a text of 300 characters', { body: 'x'.repeat(300) }, ['/body']],
  ['a long text in an object', { message: { body: LONG } }, []],
  ['a long text in a list', { bodies: [LONG] }, []],
  ['a long text deep below', { a: [{ b: { c: [{ body: LONG }] } }] }, []],
  ['a long recipient', { to: LONG, cc: LONG, bcc: LONG, iban: LONG, channel: LONG, webhook: LONG }, []],
  ['a long command or program', { command: LONG, script: LONG, code: LONG, sql: LONG }, []],
  [
    'a long path, address, amount or attachment',
    { path: `/${LONG}`, url: `https://x.example/${LONG}`, amount: `5${LONG}`, attachment: LONG },
    [],
  ],
  ['a name that is a recipient', { 'mallory@ext.example': LONG }, []],
  ['fields with odd names', { '__proto__ ': LONG, 'a/b~c': LONG }, ['/__proto__ ', '/a~1b~0c']],
  ['a list or a text instead of fields', [LONG], []],
  ['nothing', {}, []],
])('%s', (_, args, places) => expect(placesIn(args)).toEqual(places))

test('what the sentence names is never folded, such as the command of a shell tool', () => {
  const said = { pieces: [{ is: 'value' as const, text: '…', at: '/line' }] }
  expect(placesIn({ line: LONG, note: LONG }, 'sh__run', said)).toEqual(['/note'])
})

test('at most 20 texts may be folded: the others are shown whole', () => {
  const args = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`part_${at}`, LONG]))
  expect(placesIn(args)).toHaveLength(20)
})

test('whatever is called, only long fields of the call itself that are prose may be folded', () => {
  const value = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.string({ maxLength: 600 }),
      fc.integer(),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('to', 'body', 'command', 'path', 'amount', 'note'), tie('json'), { maxKeys: 4 }),
    ),
  })).json
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('to', 'body', 'command', 'note', 'x'), value), (args) => {
      const leaves = leavesOf(args)
      for (const { at, text } of foldableTexts(args, 'mail__send', sentence)) {
        expect(text.length).toBeGreaterThanOrEqual(SHOWN_WHOLE)
        expect(args[at.slice(1)]).toBe(text)
        expect(leaves.filter((leaf) => leaf.at === at).map(({ role }) => role)).not.toContain('to')
        expect(leaves.filter((leaf) => leaf.at === at).map(({ role }) => role)).not.toContain('command')
      }
    }),
  )
})

function leavesOf(args: Json) {
  const steps = leafSteps(args, 'mail__send')
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
