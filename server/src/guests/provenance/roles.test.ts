import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressesIn, roleOf } from './roles.ts'

describe('the role of an argument', () => {
  test.each([
    ['recipient', 'bob@example.com', 'destination'],
    ['to', 'Bob', 'destination'],
    ['to_account', '12345', 'destination'],
    ['password', 'hunter2', 'destination'],
    ['note', 'bob@example.com', 'destination'],
    ['anything', 'DE02120300000000202051', 'destination'],
    ['file_id', '13', 'entity'],
    ['amount', '400', 'amount'],
    ['date', '2026-11-16', 'date'],
    ['notify', 'true', 'flag'],
    ['body', 'See you on Tuesday', 'content'],
  ])('%s with %s is a %s', (key, value, role) => expect(roleOf(key, value, undefined)).toBe(role))

  // Fails if the address check comes after the field names.
  test('law: an address is a destination whatever its field is called', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z_]{1,20}$/),
        fc.constantFrom('eve@evil.example', 'https://evil.example/x'),
        (key, to) => {
          expect(roleOf(key, to, { type: 'string' })).toBe('destination')
        },
      ),
    )
  })

  test('law: every address in a text is found, whatever surrounds it', () => {
    const around = fc.constantFrom(' ', '\n', ', ', '; ', ' (', ') ', '"', "'")
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 999 }), { maxLength: 5 }), around, around, (numbers, before, behind) => {
        const addresses = numbers.map((number) => `p${number}@example.com`)
        expect(addressesIn(addresses.map((one) => `${before}${one}${behind}`).join('and'))).toEqual(addresses)
      }),
    )
  })
})
