import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtIn } from './rules/built-in.suite.ts'
import { mixedText, PERSONAL, TOKENS } from './rules/samples.suite.ts'
import { redactText } from './redact-text.ts'
import { isRedacted } from '../../kernel/attempt/standard/template.ts'

const redact = (text: string) => redactText(text, builtIn)

describe('redacting a text', () => {
  test('leaves a mark by which a read-back knows that the answer is not the original', () => {
    const { text } = redact(`key ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6xY8z'.repeat(2).slice(0, 36)}`)
    expect([isRedacted(text), isRedacted('key')]).toEqual([true, false])
  })

  test('redacting twice changes nothing more', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const once = redact(text).text
        expect(redact(once).text).toBe(once)
      }),
      { numRuns: 1500 },
    )
  })

  test('every character outside the findings is kept, none inside is', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const { text: after, findings } = redact(text)
        let rebuilt = ''
        let end = 0
        for (const finding of findings) {
          expect(finding.start).toBeGreaterThanOrEqual(end)
          expect(finding.end).toBeGreaterThan(finding.start)
          rebuilt += `${text.slice(end, finding.start)}[REDACTED_${finding.type}]`
          end = finding.end
        }
        expect(after).toBe(rebuilt + text.slice(end))
      }),
    )
  })

  test('a token is removed completely, whatever surrounds it', () => {
    for (const [rule, tokens] of Object.entries(TOKENS)) {
      fc.assert(
        fc.property(tokens, fc.constantFrom('', ' ', '"', '=', '(', ': ', '\n', 'a b ', '\\n'), (token, before) => {
          const { text, findings } = redact(`${before}${token} end`)
          expect(text, rule).not.toContain(token)
          expect(text.endsWith('] end')).toBe(true)
          expect(findings.some((finding) => finding.kind === 'secret')).toBe(true)
        }),
        { numRuns: 60 },
      )
    }
  })

  test('personal data is replaced by its type', () => {
    for (const [type, values] of Object.entries(PERSONAL)) {
      fc.assert(
        fc.property(values, (value) => {
          expect(redact(`write to ${value}, please`).text).toBe(`write to [REDACTED_${type}], please`)
        }),
        { numRuns: 100 },
      )
    }
  })

  test('several findings are located in the original text', () => {
    const { text, findings } = redact('from a@b.org to c@d.org')
    expect(text).toBe('from [REDACTED_EMAIL] to [REDACTED_EMAIL]')
    expect(findings.map(({ start, end }) => [start, end])).toEqual([
      [5, 12],
      [16, 23],
    ])
  })

  test('a text without anything sensitive is returned unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('word', 'other', ' ', '\n', '!', '12', 'é')), (parts) => {
        expect(redact(parts.join('')).text).toBe(parts.join(''))
      }),
    )
  })
})
