import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeBase64 } from '../../kernel/text/base64.ts'
import { CHECKS, type Check } from './checks.ts'

const holds = (name: keyof typeof CHECKS, text: string): boolean => {
  const check: Check = CHECKS[name]
  return Boolean(check(text, { text, start: 0, end: text.length }))
}

/** Example numbers published by authorities, with valid check digits. */
const VALID: readonly (readonly [keyof typeof CHECKS, string])[] = [
  ['payment-card', '378282246310005'],
  ['payment-card', '5555-5555-5555-4444'],
  ['iban', 'FR14 2004 1010 0505 0001 3M02 606'],
  ['luhn', '79927398713'],
  ['in-aadhaar', '2363'],
  ['es-id', '12345678Z'],
  ['es-id', 'X1234567L'],
  ['fi-id', '131052-308T'],
  ['se-id', '811228-9874'],
  ['pl-pesel', '44051401359'],
  ['de-tax-id', '86095742719'],
  ['de-pension', '65170839J003'],
  ['it-fiscal-code', 'RSSMRA85T10A562S'],
  ['sg-id', 'S1234567D'],
  ['uk-nhs', '943 476 5919'],
  ['au-tfn', '123 456 782'],
  ['au-abn', '51 824 753 556'],
  ['au-medicare', '2123 45670'], // the tenth digit is the card's issue number and is not checked
  ['tr-id', '10000000146'],
  ['th-id', '1101700230708'],
  ['za-id', '8001015009087'],
  ['br-cpf', '529.982.247-25'],
  ['ch-ahv', '756.9217.0769.85'],
  ['nl-bsn', '111222333'],
  ['fr-nir', '2 55 08 14 168 025 38'],
]

describe('checksums', () => {
  test.each(VALID)('%s accepts %s', (name, text) => {
    expect(holds(name, text)).toBe(true)
  })

  test.each(VALID)('%s rejects %s with another last character', (name, text) => {
    const last = text.at(-1) ?? ''
    const other = /\d/.test(last) ? String((Number(last) + 1) % 10) : last === 'A' ? 'B' : 'A'
    expect(holds(name, text.slice(0, -1) + other)).toBe(false)
  })

  test('base64 decodes to what was encoded, with and without padding, in both alphabets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = String.fromCharCode(...bytes)
        const encoded = btoa(text)
        const url = encoded.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
        expect([decodeBase64(encoded), decodeBase64(url)]).toEqual([text, text])
      }),
    )
  })
})
