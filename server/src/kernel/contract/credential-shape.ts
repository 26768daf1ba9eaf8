/**
 * The gate's own credentials as texts: keys and logins (`sluice_<kind>_` and 43 random characters) and approval tokens. What people and programs
 * do to a text between copying and pasting does not hide one: other letter case, full-width letters, invisible characters, spaces, line breaks.
 */

/** Spaces, line breaks and characters that are not drawn. */
export const GAP =
  /[\s\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0f]|\udb40|[\udc00-\udfff]/
export const GAPS = new RegExp(`(?:${GAP.source})+`, 'g')

/** Characters that NFKC turns into a letter, a digit, a dot, a hyphen or an underscore of ASCII: full-width, circled, mathematical and so on. */
const COMPATIBLE =
  /[\u00aa\u00b2\u00b3\u00b9\u00ba\u017f\u02b0-\u02b8\u02e1-\u02e3\u1d2c-\u1d6a\u2024\u2070-\u209c\u2100-\u214f\u2160-\u217f\u2460-\u24ea\ufe33\ufe34\ufe4d-\ufe4f\ufe52\ufe63\uff01-\uff5e\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f14f}]/u
const ALL_COMPATIBLE = new RegExp(COMPATIBLE.source, 'gu')

/** The text with such characters as ASCII, and with the same length, so that positions stay the same. */
export function plainLetters(text: string): string {
  return COMPATIBLE.test(text) ? text.replace(ALL_COMPATIBLE, plainLetter) : text
}

function plainLetter(letter: string): string {
  const plain = letter.normalize('NFKC')
  // A gap takes the place of the second half of a surrogate pair.
  return plain.length === 1 ? plain.padEnd(letter.length, '\u200b') : letter
}

/** Sticky: what begins at `lastIndex`. */
export const CREDENTIAL_SHAPES = [
  /sluice_[a-z]{3,12}_(?<random>[A-Za-z0-9_-]{43})/iy,
  /v1\.\d{9,11}\.[0-9a-f]{16}\.[0-9a-f]{64}/iy,
] as const
const TOKEN = /v1\.\d{9,11}\.[0-9a-f]{16}\.[0-9a-f]{64}/i
const KEYS = /sluice_[a-z]{3,12}_(?<random>[A-Za-z0-9_-]{43})/gi

/** Prose without its spaces can consist of the same letters as a key, but not of the same mix of characters. */
export function isRandom(random: string | undefined): boolean {
  if (random === undefined) return true
  const hasMany = (letters: RegExp) => (random.match(letters)?.length ?? 0) >= (/\d/.test(random) ? 4 : 6)
  return hasMany(/[A-Z]/g) && hasMany(/[a-z]/g)
}

/** As it is written, without gaps and with plain letters. */
export const unspaced = (text: string): string => plainLetters(text).replace(GAPS, '')

export const hasTokenShape = (text: string): boolean => TOKEN.test(unspaced(text))

/** Whether a name, which a caller chose, contains a key or an approval token of a gate. No name needs to. */
export function hasCredentialShape(text: string): boolean {
  const plain = unspaced(text)
  return TOKEN.test(plain) || [...plain.matchAll(KEYS)].some(({ groups }) => isRandom(groups?.['random']))
}

export const NAME_WITHOUT_CREDENTIAL = 'a name contains no key and no approval token'
