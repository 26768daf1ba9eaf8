import * as fc from 'fast-check'
import { entropyOf } from '../randomness.ts'

/** Sensitive texts for tests, generated at run time, so that secret scanners do not report this file. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const BASE62 = `${LETTERS}${LETTERS.toUpperCase()}0123456789`

/** Random characters from a seed. A shrunk string would not be random any more, so only the seed is drawn. */
export const charsOf = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc.noShrink(fc.noBias(fc.integer({ min: 1, max: 2 ** 31 - 2 }))).map((seed) => {
    let state = seed
    return Array.from({ length }, () => {
      state = (state * 48271) % 2147483647
      return alphabet.charAt(Math.floor((state / 2147483647) * alphabet.length))
    }).join('')
  })

/** Like a real random string: repeated characters would make it a placeholder. */
const isRich = (text: string): boolean =>
  entropyOf(text) >= Math.min(3.3, Math.log2(text.length) * 0.8) && !/x{3}/i.test(text)

export const base62 = (length: number): fc.Arbitrary<string> =>
  charsOf(BASE62, length).filter((text) => isRich(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text))
export const hex = (length: number): fc.Arbitrary<string> =>
  charsOf('0123456789abcdef', length).filter((text) => isRich(text) && /[a-f]/.test(text) && /\d/.test(text))
const joined = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((texts) => texts.join(''))
const glue = (...parts: string[]): string => parts.join('')

/** Self-identifying tokens, by the rule that has to find them. */
export const TOKENS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'aws-access-key-id': joined(glue('AK', 'IA'), charsOf('ABCDEFGHIJKLMNOPQRSTUVW234567', 16)),
  'github-token': joined(glue('gh', 'p_'), base62(36)),
  'gitlab-token': joined(glue('gl', 'pat-'), base62(20)),
  'slack-token': joined(glue('xo', 'xb-'), charsOf('123456789', 12), '-', charsOf('123456789', 12), '-', base62(24)),
  'stripe-key': joined(glue('sk', '_live_'), base62(24)),
  'npm-token': joined(glue('np', 'm_'), base62(36)),
  'sendgrid-key': joined(glue('S', 'G.'), base62(22), '.', base62(43)),
  'huggingface-token': joined(glue('h', 'f_'), base62(34)),
  'openai-key': joined(glue('s', 'k-'), base62(20), glue('T3Blbk', 'FJ'), base62(20)),
  'openai-project-key': joined(glue('s', 'k-pr', 'oj-'), base62(64)),
  'anthropic-key': joined(glue('s', 'k-an', 't-api', '03-'), base62(95)),
  'digitalocean-token': joined(glue('do', 'p_v1_'), hex(64)),
  'shopify-token': joined(glue('shp', 'at_'), hex(32)),
  'mailchimp-key': joined(hex(32), '-us', charsOf('123456789', 1)),
  'telegram-token': joined(charsOf('123456789', 9), ':A', base62(34)),
  'twilio-key': joined(glue('S', 'K'), hex(32)),
  'databricks-token': joined(glue('da', 'pi'), hex(32)),
  'pypi-token': joined(glue('py', 'pi-Ag', 'E'), base62(120)),
  'vault-token': joined(glue('hv', 's.'), base62(90)),
  'linear-key': joined(glue('lin', '_api_'), base62(40)),
  'newrelic-key': joined(
    glue('NR', 'AK-'),
    charsOf('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', 27).filter((text) => new Set(text).size > 9),
  ),
  'postman-key': joined(glue('PM', 'AK-'), hex(24), '-', hex(34)),
}

/** Personal data, by the type that replaces it. */
export const PERSONAL: Readonly<Record<string, fc.Arbitrary<string>>> = {
  EMAIL: joined(base62(8), '@', charsOf(LETTERS, 7), '.org'),
  PAYMENT_CARD: charsOf('0123456789', 14).map((digits) => withLuhn(`4${digits}`)),
  IPV4: fc
    .tuple(fc.integer({ min: 11, max: 99 }), fc.nat(255), fc.nat(255), fc.nat(255))
    .map((octets) => octets.join('.')),
  IPV6: fc
    .array(fc.integer({ min: 4096, max: 65535 }), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.map((group) => group.toString(16)).join(':'))
    .filter((text) => /\d/.test(text)),
  IBAN: charsOf('0123456789', 18).map(withIbanCheck),
  PHONE: fc
    .tuple(fc.integer({ min: 10, max: 99 }), charsOf('23456789', 9))
    .map(([country, rest]) => `+${country} ${rest}`),
}

function withLuhn(digits: string): string {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, index) => total + (index % 2 === 1 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

function withIbanCheck(account: string): string {
  const rest = Number(BigInt(`${account}131400`) % 97n) // the letters D and E count as 13 and 14
  return `DE${String(98 - rest).padStart(2, '0')}${account}`
}

/** Texts that mix words, punctuation and sensitive pieces, with and without names before them. */
export const mixedText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ' ',
          '\n',
          ', ',
          '; ',
          ': ',
          ' = ',
          '="',
          '"',
          "'",
          '(',
          ')',
          '{',
          '}',
          '[',
          ']',
          '/',
          '-',
          '.',
          '@',
          '\\n',
          '…',
        ),
      },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'the',
          'password',
          'token',
          'api_key',
          'secret',
          'curl -u',
          'user',
          'https://',
          'phone',
          '"key": ',
          'Authorization: Bearer',
          'data:\n  a',
          'kind: Secret\n',
        ),
      },
      { weight: 3, arbitrary: fc.oneof(...Object.values(TOKENS), ...Object.values(PERSONAL)) },
      { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('[REDACTED_EMAIL]', '${TOKEN}', 'xxxxxxxx', '12345678', '1.2.3', '00', '+'),
      },
      { weight: 1, arbitrary: base62(20) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))
