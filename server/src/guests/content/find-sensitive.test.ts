import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodedText } from '../../../test/encoded-texts.ts'
import { selectRules } from './compile-rules.ts'
import { findSensitive, locate, locateInField } from './find-sensitive.ts'
import { builtIn } from './rules/built-in.suite.ts'
import { mixedText, TOKENS } from './rules/samples.suite.ts'

const found = (text: string): string[] =>
  findSensitive(text, builtIn).map(({ rule, start, end }) => `${rule}: ${text.slice(start, end)}`)
const glue = (...parts: string[]): string => parts.join('')

describe('findings', () => {
  test('every kind of token is found by its own rule', () => {
    for (const [rule, tokens] of Object.entries(TOKENS)) {
      fc.assert(
        fc.property(tokens, (token) => {
          expect(found(`see ${token}`)).toEqual([`${rule}: ${token}`])
        }),
        { numRuns: 30 },
      )
    }
  })

  test.each([
    ['card 4111 1111 1111 1111.', 'payment-card: 4111 1111 1111 1111'],
    ['6304000000000000000 is long', 'payment-card: 6304000000000000000'],
    ['4222222222222', 'payment-card: 4222222222222'],
    ['pay GB82 WEST 1234 5698 7654 32 now', 'iban: GB82 WEST 1234 5698 7654 32'],
    ['at 8.8.4.4:53', 'ipv4: 8.8.4.4'],
    ['at 10.1.2.3', 'ipv4-local: 10.1.2.3'],
    ['[2001:db8::8:800:200c:417a]:443', 'ipv6-local: 2001:db8::8:800:200c:417a'],
    ['ping ::ffff:8.8.8.8', 'ipv6: ::ffff:8.8.8.8'],
    ['mail jo.doe+x@mail.example.co.uk!', 'email: jo.doe+x@mail.example.co.uk'],
    ['call (212) 555-0199', 'phone-bracketed: (212) 555-0199'],
    ['call +44 20 7946 0958', 'phone-international: +44 20 7946 0958'],
    ['{\\"text\\": \\"a\\n8.8.4.4\\"}', 'ipv4: 8.8.4.4'],
    ['ssn 536-22-8726', 'us-ssn: 536-22-8726'],
    ['dni 12345678Z', 'es-nif: 12345678Z'],
  ])('%s', (text, finding) => {
    expect(found(text)).toEqual([finding])
  })

  test.each([
    '4111111111111111abc',
    '4111 1111 1111 1112', // fails the Luhn check
    '1763190000002', // a time in milliseconds that passes the Luhn check
    'GB82 WEST 1234 5698 7654 33',
    '256.1.1.1',
    '1.2.3.4.5',
    '1.2.3.04',
    '12:34:56',
    'std::cout << a::b',
    'a@b',
    'icon@2x.png',
    'git@github.com:org/repo.git',
    '2024-05-06 07:08:09',
    'dni 12345678A',
    'commit 6dcb09b5b57875f334f61aebed695e2e4193db5e',
  ])('%s is harmless', (text) => {
    expect(found(text)).toEqual([])
  })

  test('a key block is found with its whole body, a header in a sentence is not', () => {
    const header = glue('-----BEGIN RSA ', 'PRIVATE KEY-----')
    const block = `${header}\nTUlJRXBRSUJBQUtDQVFFQW42\nMTIzNDU2Nzg5MA==\n${header.replace('BEGIN', 'END')}`
    expect(found(`a ${block} b`)).toEqual([`private-key: ${block}`])
    expect(found(`it starts with \`${header}\` and then some lines follow in base64`)).toEqual([])
  })

  test('a token with a header counts only if the header decodes', () => {
    const part = (json: string): string => btoa(json).replaceAll('=', '')
    const jwt = [part('{"alg":"HS256","typ":"JWT"}'), part('{"sub":"1234567890"}'), 'c2lnbmF0dXJlLW9mLXRlc3Q'].join('.')
    expect(found(`Bearer ${jwt}`)).toEqual([`jwt: ${jwt}`])
    expect(found(`x ${jwt.replace('9.', 'A.')}`)).toEqual([])
  })

  test('in a URL only the password is redacted', () => {
    const url = glue('postgres://app:', 'hunter2', '@db.internal:5432/orders')
    expect(found(url)).toEqual(['connection-string: hunter2'])
    expect(found('postgres://app@db.internal/orders http://localhost:5000/@x')).toEqual([])
  })

  test('the values of a Kubernetes secret are found, those of another document are not', () => {
    const data = 'data:\n  login: eW91LWFyZS1jdXJpb3Vz\n'
    expect(found(`kind: Secret\n${data}`)).toEqual([`kubernetes-secret: \n  login: eW91LWFyZS1jdXJpb3Vz`])
    expect(found(`kind: Secret\n---\nkind: ConfigMap\n${data}`)).toEqual([])
  })
})

describe('the search', () => {
  test('findings do not overlap and are in order', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        let end = 0
        for (const finding of findSensitive(text, builtIn)) {
          expect(finding.start).toBeGreaterThanOrEqual(end)
          expect(finding.end).toBeGreaterThan(finding.start)
          expect(finding.end).toBeLessThanOrEqual(text.length)
          end = finding.end
        }
      }),
    )
  })

  test('everything that a rule has found is inside a finding', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const findings = findSensitive(text, builtIn)
        for (const span of locate(text, builtIn).spans) {
          expect(findings.some((finding) => finding.start <= span.start && span.end <= finding.end)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('law: a rule that is not tried because too little text is left would have found nothing', () => {
    const always = selectRules(builtIn, (rule) => ({ ...rule, least: 0 }))
    const text = fc.oneof(mixedText, encodedText, fc.oneof(...Object.values(TOKENS)))
    fc.assert(
      fc.property(text, fc.nat(60), fc.constantFrom('', 'token', 'shared', 'content'), (whole, cut, name) => {
        const one = whole.slice(0, Math.max(1, whole.length - cut))
        expect(locate(one, builtIn).spans).toEqual(locate(one, always).spans)
        expect(locateInField(name, one, builtIn)).toEqual(locateInField(name, one, always))
      }),
      { numRuns: 1_000 },
    )
  })

  test('a stretch that contains a secret is a secret, and the most specific rule names it', () => {
    expect(findSensitive('password = "me@home.org"', builtIn)).toEqual([
      { type: 'EMAIL', rule: 'email', kind: 'secret', start: 12, end: 23 },
    ])
    const token = glue('gh', 'p_', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5')
    expect(found(`github_token = "${token}"`)).toEqual([`github-token: ${token}`])
  })

  test('whatever is found in a text is found again, in the same place, in a longer text', () => {
    fc.assert(
      fc.property(mixedText, fc.constantFrom('', 'before it, ', 'línea\n'), (text, lead) => {
        const alone = locate(text, builtIn).spans.filter((span) => span.start > 0)
        const later = new Set(locate(`${lead}\n${text}`, builtIn).spans.map((span) => `${span.rule} ${span.start}`))
        for (const span of alone) expect(later).toContain(`${span.rule} ${span.start + lead.length + 1}`)
      }),
    )
  })

  test.each([
    '1 ',
    '1.',
    '9 9 ',
    'a@',
    '@',
    '"',
    '://a:',
    'password=',
    'token:',
    'key ',
    'eyJ',
    'eyJa.',
    'a:',
    '::',
    '+1',
    '(1',
    'GB29 ',
    '-u ',
    'sk-',
    'curl -u a:b ',
    'data:\n a: b\n',
    'kind: Secret\ndata:\n a: b\n',
    'PuTTY-User-Key-File-2:',
    'Authorization: Bearer ',
    '{{',
    '\\"',
    `${glue('-----BEGIN ', 'PRIVATE KEY-----')}\n`,
    'secret: |\n',
    'name="token" value="',
    'password=<<<<',
    `password=${')'.repeat(900)} `,
  ])('a megabyte of %.30s… takes work at most proportional to its length', (seed) => {
    const steps = (length: number): number =>
      locate(seed.repeat(Math.ceil(length / seed.length)).slice(0, length), builtIn).steps
    const small = steps(31_250)
    const large = steps(1_000_000)
    // 32 times the text, plus a tenth because the cut may fall in the middle of a seed.
    expect(large).toBeLessThanOrEqual(32 * 1.1 * small)
  })
})
