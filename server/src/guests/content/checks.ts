import * as sums from './checksums.ts'
import { ipv6Length, isEmail, isLocalV4, isLocalV6, isVersion } from './network-checks.ts'
import { cardLength, ibanLength, isPhone } from './number-checks.ts'
import { isPlaceholder } from './placeholder.ts'
import { looksRandom } from './randomness.ts'
import type { Quoted } from './judge-value.ts'
import * as secrets from './secret-checks.ts'

/** The context of a match: its span in the text and, for the value of an assignment, its name. */
export type Place = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly name?: string
  readonly quoted?: boolean
  /** The value of a field in JSON, not text that only looks like an assignment. */
  readonly field?: boolean
}

/** Whether a match counts, or how many of its characters do. */
export type Check = (match: string, place: Place) => boolean | number

const quotedAs = ({ quoted, field }: Place): Quoted => (field === true ? 'field' : quoted === true)

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
