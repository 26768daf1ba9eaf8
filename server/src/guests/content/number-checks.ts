import { luhn, mod97 } from './checksums.ts'

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
export function cardLength(run: string, next: string): number {
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
export function ibanLength(run: string): number {
  const wanted = IBAN_LENGTHS.get(run.slice(0, 2))
  if (wanted === undefined) return 0
  let end = 0
  for (let count = 0; end < run.length && count < wanted; end++) if (/[0-9A-Z]/.test(run.charAt(end))) count += 1
  const iban = run.slice(0, end).replace(/[ -]/g, '')
  const whole = iban.length === wanted && !/[0-9A-Za-z]/.test(run.charAt(end))
  return whole && mod97(iban.slice(4) + iban.slice(0, 4)) === 1 ? end : 0
}

/** A dialable number: eight to fifteen digits (E.164), balanced brackets, not a date. */
export function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  const opened = text.split('(').length
  if (digits < 7 || digits > 15 || opened !== text.split(')').length || opened > 2) return false
  return !/^\d{1,2}[-./]\d{1,2}[-./]\d{4}$|^\d{4}[-./]\d{1,2}[-./]\d{1,2}/.test(text)
}
