import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { sentenceText } from '../../kernel/contract/sentence.ts'
import type { ToolEffect } from '../../kernel/contract/tool.ts'
import { numberedText } from '../../kernel/contract/visible-text.ts'
import type { SentenceInput } from '../../kernel/ports/make-sentence.ts'
import { makeSentence } from './make-sentence.ts'

const said = (tool_id: string, effects: readonly ToolEffect[], args: Json, more: Partial<SentenceInput> = {}) =>
  makeSentence({ tool_id, tool: { effects, effects_from: 'configured' }, args, ...more })
const says = (...input: Parameters<typeof said>) => sentenceText(said(...input))
const SENDS = ['write', 'external'] as const

describe('recipients and amounts, whatever their value is', () => {
  const PAY = ['write', 'external'] as const
  test.each<[string, Json, string]>([
    ['other digits', { to: 'ana', amount: '٥٠٠٠' }, 'Pay ٥٠٠٠ to ana'],
    ['words', { to: 'ana', amount: 'five thousand' }, 'Pay “five thousand” to ana'],
    ['71 digits', { to: 'ana', amount: '7'.repeat(71) }, `Pay ${'7'.repeat(71)} to ana`],
    ['a flag', { payee: true, amount: 5 }, 'Pay 5 with bank__pay. Also: payee true'],
    ['null', { payee: null, amount: 5 }, 'Pay 5 with bank__pay. Also: payee null'],
    ['a name of a field', { payee: { evil: true }, amount: 5 }, 'Pay 5 to evil. Also: evil true'],
    ['shares', { payees: { ana: 5, bob: 7 } }, 'Send something to ana and bob. Also: ana 5, bob 7'],
    ['a figure as a name', { recipients: { 4915: true } }, 'Send something to 4915. Also: 4915 true'],
    ['a kind', { recipients: [{ type: 'ana' }] }, 'Change 1 field of a record with bank__pay. Also: type ana'],
    ['a nested amount', { to: 'ana', amount: { huge: '5000' } }, 'Send something to ana. Also: huge 5000'],
    [
      'a second currency',
      { to: 'ana', amount: 5, currency: 'EUR', fee: { currency: 'USD' } },
      'Pay €5.00 to ana. Also: currency USD',
    ],
    [
      'a long account',
      { account: 'x'.repeat(321), amount: 5 },
      `Pay 5 to account “${'x'.repeat(320)}… ⟨321 characters⟩”`,
    ],
    ['lines', { email: 'a\nb', amount: 5 }, 'Pay 5 to account “a⟨U+000A⟩b”'],
    ['text and figure', { to: ['1', 1], amount: ['2', 2] }, 'Pay “"2"” to “"1"” and 1. Also: amount 2'],
    ['a word and a flag', { to: ['null', null] }, 'Send something to “"null"”. Also: to null'],
  ])('%s', (_, args, sentence) => {
    expect(says('bank__pay', PAY, args)).toBe(sentence)
  })

  test('a long recipient is cut with its length, and every address in it is named', () => {
    const to = `${'x'.repeat(400)} <eve@evil.example>`
    expect(says('mail__send', SENDS, { to })).toContain('… ⟨419 characters; it names eve@evil.example⟩')
  })

  test('details of recipients beyond fifty are counted', () => {
    const to = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, at]))
    const line = says('mail__send', SENDS, { to })
    expect(line).toContain('p59')
    expect(line.endsWith(' ⟨and 10 more details⟩')).toBe(true)
  })

  test('recipients that can be mistaken for others are marked', () => {
    const marks = (args: Json, more: Partial<SentenceInput> = {}) =>
      said('mail__send', SENDS, args, more).pieces.flatMap((piece) =>
        piece.is === 'text' || piece.mark === undefined ? [] : [piece.mark],
      )
    expect(marks({ to: 'аna' })).toEqual(['mixes Cyrillic and Latin letters in a word'])
    expect(marks({ to: 'асе@x.example' })).toEqual(['not Latin letters, but looks like ace'])
    expect(marks({ to: 'ana\u200b' })).toEqual(['with invisible characters'])
    expect(marks({ to: 'нед\u200dда' })).toEqual(['with invisible characters'])
    expect(marks({ to: 'ａna' })).toEqual(['reads as ana'])
    expect(marks({ to: 'ɡina' })).toEqual(['with phonetic letters that look like plain ones'])
    expect(marks({ to: ' ana' })).toEqual(['with spaces around it'])
    expect(marks({ to: 'al@x.example', cc: 'a1@x.example' })).toEqual([
      'can be mistaken for a1@x.example',
      'can be mistaken for al@x.example',
    ])
    expect(marks({ to: 'ana' }, { look_alikes: [{ at: '/to', known: 'anna' }] })).toEqual(['can be mistaken for anna'])
    for (const plain of ['ana@x.example', 'Иван Петров', '山田 taro', 'Zoë Müller', 'किशोर', '日本語テスト'])
      expect(marks({ to: [plain, 'someone@else.example'] })).toEqual([])
    expect(says('mail__send', SENDS, { to: 'аna' })).toContain('⟨mixes Cyrillic and Latin letters in a word⟩')
  })
})

const effects = fc.subarray<ToolEffect>(['read', 'write', 'destructive', 'external', 'privileged'])
const toolId = fc.constantFrom(
  'm__send_email',
  'b__pay',
  'f__write_file',
  'g__delete_x',
  's__run',
  'c__update',
  'x__y',
  '',
)

describe('law', () => {
  const anything = fc.jsonValue({ maxDepth: 3 })
  const FIELDS = 'to cc bcc recipients payee attendees channel account iban amount total fee price'.split(' ')
  /** Names of fields that say what a value is are not recipients, so random ones are long enough to be none. */
  const named = fc.stringMatching(/^[b-d]{6}$/)
  const nested = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.stringMatching(/^[٠-٩]{1,80}$/),
      ),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(named, tie('node'), { maxKeys: 3 }),
    ),
  })).node
  test('the sentence contains every value of a field that names recipients or amounts, and every name below one for recipients', () => {
    fc.assert(
      fc.property(
        toolId,
        effects,
        fc.constantFrom(...FIELDS),
        fc.oneof(nested, anything as fc.Arbitrary<Json>),
        (tool_id, of, name, value) => {
          const line = ungrouped(says(tool_id, of, { [name]: value }))
          if (/⟨(?:and )?\d+ (?:characters|more details)/.test(line)) return
          for (const text of textsIn(value, !['amount', 'total', 'fee', 'price'].includes(name)))
            expect(line).toContain(ungrouped(text))
        },
      ),
      { numRuns: 500 },
    )
  })
})

const ungrouped = (text: string) => text.replaceAll(/(?<=\d),(?=\d)/g, '')

/** What must be readable: the values as printed, and names of fields that are in lower case and long. */
function textsIn(value: Json, names: boolean): readonly string[] {
  if (typeof value === 'string')
    return value === ''
      ? ['(empty)']
      : (numberedText(value)
          .replaceAll(/[“”]/g, '"')
          .match(/[^"\\ ]+/g) ?? [])
  if (typeof value !== 'object' || value === null) return [String(value).replace(/^-?0(?=\d)/, '')]
  if (Array.isArray(value)) return value.flatMap((one: Json) => textsIn(one, names))
  return Object.entries(value).flatMap(([key, one]) => [
    ...(names && /^[b-d]{6}$/.test(key) ? [key] : []),
    ...textsIn(one, names),
  ])
}
