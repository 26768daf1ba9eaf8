import * as sums from './checksums.ts'
import { isPlaceholder } from './placeholder.ts'
import { looksRandom } from './randomness.ts'
import type { Quoted } from './judge-value.ts'
import * as secrets from './secret-checks.ts'
import { luhn, mod97 } from './checksums.ts'
import { trimmedEnd } from '../../kernel/contract/trimmed.ts'

const LOCAL_V4 = [
  '0\\.|10\\.|127\\.|169\\.254\\.|192\\.168\\.|172\\.(?:1[6-9]|2\\d|3[01])\\.', // RFC 1122, 1918, 3927
  '100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\.|198\\.1[89]\\.', // carrier-grade NAT and benchmarks: RFC 6598, 2544
  '192\\.0\\.2\\.|198\\.51\\.100\\.|203\\.0\\.113\\.', // documentation: RFC 5737
  '22[4-9]\\.|2[34]\\d\\.|25[0-5]\\.', // multicast and reserved
]
const IS_LOCAL_V4 = new RegExp(`^(?:${LOCAL_V4.join('|')})`)

/** Loopback, private, documentation and multicast addresses: they do not identify anybody outside. */
const isLocalV4 = (address: string): boolean => IS_LOCAL_V4.test(address)

const VERSION_BEFORE =
  /(?:versions?|(?<![a-z])(?:v|ver|release|build|rev|revision|firmware|kernel|tag|semver))["'`]?[ \t]{0,2}[:=<>~^]{0,2}[ \t]{0,2}["'`]?$|\w==$|[~^]$/i
const VERSION_AFTER =
  /^(?:[-+](?:alpha|beta|rc|snapshot|preview|dev|release|final|build)|\.(?:tar|tgz|zip|jar|whl|dll|exe|deb|rpm|gz)\b)/i

/** Whether four numbers separated by dots are a version, judging by the text around them. */
function isVersion(text: string, start: number, end: number): boolean {
  if (VERSION_AFTER.test(text.slice(end, end + 12))) return true
  return VERSION_BEFORE.test(text.slice(Math.max(0, start - 20), start))
}

/** The same for IPv6: loopback, link-local, private, documentation and multicast, and IPv4 addresses written as IPv6. */
function isLocalV6(address: string): boolean {
  const plain = address.toLowerCase().replace(/[%/].*$/, '')
  const v4 = /^(?:0*:){0,5}(?:ffff:|:ffff:|:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  if (v4 !== undefined) return isLocalV4(v4)
  if (/^[0:]*:0*[01]?$/.test(plain)) return true
  const [first = '', second = ''] = plain.split(':')
  const head = Number.parseInt(first === '' ? '0' : first, 16)
  const next = Number.parseInt(second === '' ? '0' : second, 16)
  if ((head & 0xfe00) === 0xfc00 || (head & 0xffc0) === 0xfe80 || (head & 0xff00) === 0xff00) return true
  return (head === 0x2001 && next === 0xdb8) || (head === 0x3fff && next < 0x1000)
}

/** How much of a run of hexadecimal groups and colons is an IPv6 address; 0 if none. */
function ipv6Length(run: string): number {
  const [, address = '', suffix = ''] = /^([0-9A-Fa-f:.]*)(.*)$/.exec(run) ?? []
  // A period or colon at the end belongs to the sentence.
  const bare = address.endsWith('.') ? trimmedEnd(address, '.') : address.replace(/(?<!:):$/, '')
  if (!isIpv6(bare)) return 0
  return bare.length === address.length ? address.length + suffix.length : bare.length
}

function isIpv6(address: string): boolean {
  const halves = address.split('::')
  if (halves.length > 2 || address.includes(':::') || !/\d/.test(address)) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const v4 = groups.at(-1)?.includes('.') === true ? groups.pop() : undefined
  if (v4 !== undefined && !isIpv4(v4)) return false
  if (groups.some((group) => !/^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  const count = groups.length + (v4 === undefined ? 0 : 2)
  return halves.length === 2 ? count >= 1 && count < 8 : count === 8
}

function isIpv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) <= 255)
}

// What follows the at sign in names that are not addresses: images for dense screens, packages, decorators.
const FILE_ENDINGS = /\.(?:png|jpe?g|gif|svg|webp|css|js|ts|tsx|jsx|json|md|html?|so|dll|jar|whl|tgz|zip|py|go|rs)$/i

/** An e-mail address, and not `user:password@host` inside a URL or an SSH remote. */
function isEmail(address: string, text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 80), start)
  if (/\/\/[^\s/@]{0,80}:$/.test(before) || before.endsWith('//')) return false
  if (address.startsWith('git@') && text[end] === ':') return false
  const [local = '', domain = ''] = address.split('@')
  return !local.startsWith('.') && !local.endsWith('.') && !address.includes('..') && !FILE_ENDINGS.test(domain)
}

/**
 * Issuer ranges by length: a number outside them, such as a time in milliseconds, is not a card even if it passes the Luhn check.
 */
const ISSUERS: Readonly<Record<number, RegExp>> = {
  13: /^[456]/,
  14: /^3/,
  15: /^(?:3[47]|1|2131|2014|2149)/,
  16: /^(?:2[2-7]|3[05689]|[456]|8[12]|9792)/,
  17: /^[456]/,
  18: /^[456]/,
  19: /^[456]/,
}

/** How much of a run of grouped digits is a payment card number; 0 if none. `next` is the character after the run. */
function cardLength(run: string, next: string): number {
  // The run may include the next number: try every group boundary, the longest first.
  for (const end of groupEnds(run)) {
    if (end === run.length && /\w/.test(next)) continue
    const digits = run.slice(0, end).replace(/\D/g, '')
    if (ISSUERS[digits.length]?.test(digits) === true && luhn(digits) && !/^(\d)\1*$/.test(digits)) return end
  }
  return 0
}

function groupEnds(run: string): number[] {
  const ends = [run.length]
  for (let index = run.length - 1; index > 0; index--) {
    if (/\D/.test(run.charAt(index))) ends.push(index)
  }
  return ends
}

const IBAN_LENGTHS = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 ' +
    'FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 ' +
    'LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 ' +
    'SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
)

/** How much of a run is an IBAN, by the length for its country and its check digits; 0 if none. */
function ibanLength(run: string): number {
  const wanted = IBAN_LENGTHS.get(run.slice(0, 2))
  if (wanted === undefined) return 0
  let end = 0
  for (let count = 0; end < run.length && count < wanted; end++) if (/[0-9A-Z]/.test(run.charAt(end))) count += 1
  const iban = run.slice(0, end).replace(/[ -]/g, '')
  const whole = iban.length === wanted && !/[0-9A-Za-z]/.test(run.charAt(end))
  return whole && mod97(iban.slice(4) + iban.slice(0, 4)) === 1 ? end : 0
}

/** A dialable number: eight to fifteen digits (E.164), balanced brackets, not a date. */
function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  const opened = text.split('(').length
  if (digits < 7 || digits > 15 || opened !== text.split(')').length || opened > 2) return false
  return !/^\d{1,2}[-./]\d{1,2}[-./]\d{4}$|^\d{4}[-./]\d{1,2}[-./]\d{1,2}/.test(text)
}

/** The context of a match: its span in the text and, for the value of an assignment, its name. */
export type TextPlace = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly name?: string
  readonly quoted?: boolean
  /** The value of a field in JSON, not text that only looks like an assignment. */
  readonly field?: boolean
}

/** Whether a match counts, or how many of its characters do. */
export type Check = (match: string, place: TextPlace) => boolean | number

const quotedAs = ({ quoted, field }: TextPlace): Quoted => (field === true ? 'field' : quoted === true)

function ipv6Where(match: string, local: boolean): number {
  const length = ipv6Length(match)
  return length > 0 && isLocalV6(match.slice(0, length)) === local ? length : 0
}

/** The checks that rules can name. */
export const CHECKS = {
  'payment-card': (match, { text, end }) => cardLength(match, text.charAt(end)),
  iban: ibanLength,
  phone: isPhone,
  email: (match, { text, start, end }) => isEmail(match, text, start, end),
  'ipv4-public': (match, { text, start, end }) => !isLocalV4(match) && !isVersion(text, start, end),
  'ipv4-local': (match, { text, start, end }) => isLocalV4(match) && !isVersion(text, start, end),
  ipv6: ipv6Length,
  'ipv6-public': (match) => ipv6Where(match, false),
  'ipv6-local': (match) => ipv6Where(match, true),
  mac: (match) => new Set(match.replace(/[^0-9a-f]/gi, '').toLowerCase()).size > 1,

  random: (match) => looksRandom(match),
  'random-string': (match, { text, start, end }) => secrets.isRandomString(match, text, start, end),
  'assigned-password': (match, place) => secrets.isAssignedPassword(match, place.name ?? '', quotedAs(place)),
  'assigned-credential': (match, place) => secrets.isAssignedCredential(match, place.name ?? '', quotedAs(place)),
  'plain-password': (match) => !isPlaceholder(match),
  'chosen-password': secrets.isChosenPassword,
  'spaced-credential': (match, { text, start }) => secrets.isSpacedCredential(match, text, start),
  'spaced-password': secrets.isSpacedPassword,
  'mixed-characters': secrets.mixesAll,
  'no-sample': secrets.isNoSample,
  jwt: secrets.isJwt,
  'encoded-jwt': secrets.isEncodedJwt,
  'key-block': secrets.keyBlockLength,
  'url-password': (match, { text, end }) => secrets.isUrlPassword(match, text, end),
  'user-and-password': (match, { text, start }) => secrets.isUserAndPassword(match, text, start),
  'basic-credentials': secrets.isBasicCredentials,
  'kubernetes-data': (match, { text, start, end }) => secrets.isKubernetesData(match, text, start, end),

  luhn: sums.luhn,
  'in-aadhaar': sums.verhoeff,
  'es-id': sums.spanishId,
  'fi-id': sums.finnishId,
  'se-id': sums.swedishId,
  'pl-pesel': sums.polishId,
  'de-tax-id': sums.germanTaxId,
  'de-pension': sums.germanPensionId,
  'it-fiscal-code': sums.italianFiscalCode,
  'sg-id': sums.singaporeId,
  'uk-nhs': sums.nhsNumber,
  'au-tfn': sums.australianTfn,
  'au-abn': sums.australianAbn,
  'au-medicare': sums.australianMedicare,
  'tr-id': sums.turkishId,
  'th-id': sums.thaiId,
  'za-id': sums.southAfricanId,
  'kr-id': sums.koreanId,
  'br-cpf': sums.brazilianCpf,
  'ch-ahv': sums.swissAhv,
  'nl-bsn': sums.dutchBsn,
  'fr-nir': sums.frenchNir,
  'us-ssn': sums.usSsn,
} as const satisfies Record<string, Check>
