/** Shannon entropy in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const isUuid = (text: string): boolean => UUID.test(text)

const TOKEN_CHARS = /^[\w+/=.~:|!@#$%^*&?-]+$/
// What people write on purpose: hosts and file names, versions, dates, addresses, plain digits, conditions.
const STRUCTURED = [
  /^[a-z][a-z0-9+.-]{1,20}:\/\//i,
  /^[\w.+-]+@[\w-]+\.[\w.-]+$/,
  /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,12}(?::\d{1,5})?$/i,
  /^[\w.-]{0,60}\d{1,4}\.\d{1,4}\.\d{1,4}/,
  /^\d{4}-\d\d-\d\d/,
  /^[\d.,:_-]+$/,
  /^\.{0,2}\/[a-z]/,
  /^[A-Za-z]:\\/,
  /[?&]\w+=/,
  /^[\w-]{1,60}(?:\/[\w.-]{1,60}){1,12}\.[a-z]{2,5}$/,
]
/** Code or another assignment inside the value. */
const ASSIGNS = /\w=+[\w!(]/
/** `object.member`, as in code; a random string may contain a dot too. */
const MEMBER = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){1,8}$/
const SEQUENCES = ['abcdefghij', '0123456789', '1234567890', 'qwertyuiop', 'ABCDEFGHIJ', '9876543210', 'zyxwvutsrq']

/**
 * Whether a value looks generated rather than written: long enough, only token characters, digits among the letters, and not
 * mostly words.
 */
export function looksRandom(value: string, least = 10): boolean {
  // Cheap tests first: they reject most texts made to be slow after a few characters.
  if (value.length < least || ASSIGNS.test(value) || !TOKEN_CHARS.test(value)) return false
  if (STRUCTURED.some((shape) => shape.test(value))) return false
  if (MEMBER.test(value) && (wordShare(value) > 0.3 || value.length < 20)) return false
  const runs = SEQUENCES.filter((run) => value.includes(run)).length
  if (runs * 40 > value.length) return false
  if (!/\d/.test(value) && !mixesCase(value)) return false
  if (!/[A-Za-z]/.test(value)) return false
  const needed = value.length < 20 ? 2.75 : 3
  return entropyOf(value) >= needed && (wordShare(value) <= 0.5 || changesOften(value))
}

/** Alternating upper and lower case, as in a random string of letters and unlike `camelCase`. */
function mixesCase(value: string): boolean {
  const turns = value.match(/[a-z](?=[A-Z])/g)?.length ?? 0
  return value.length >= 20 && turns >= value.length / 8 && entropyOf(value) >= 3.8
}

/** Words and numbers are longer than three characters on average; runs of one character class in a random string are not. */
function changesOften(value: string): boolean {
  const stretches = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0
  return stretches / value.length >= 0.3
}

/** The share of characters in pronounceable runs of letters of one case (the first may be a capital). */
export function wordShare(value: string): number {
  let letters = 0
  for (const [run] of value.matchAll(/[A-Z]?[a-z]+|[A-Z]+/g)) {
    if (run.length >= 4 && isPronounceable(run)) letters += run.length
  }
  return letters / value.length
}

/** Whether a run of letters could be words. */
export function isPronounceable(run: string): boolean {
  const vowels = run.match(/[aeiouy]/gi)?.length ?? 0
  const share = vowels / run.length
  return share >= 0.2 && share <= 0.7 && !/[bcdfghjklmnpqrstvwxz]{5}/i.test(run)
}
