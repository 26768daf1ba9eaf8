import { skeleton } from './confusables.ts'

/** Another server's tool that this one can be mistaken for. */
export type LookAlike = { readonly tool_id: string; readonly by: 'name' | 'title' | 'server' }

/** A word this long is rarely one letter away from another word by chance. */
const LONG_WORD = 5
const SWAPPED_WORD = 4

/** Whether one text can be mistaken for the other although they differ by more than case and separators. */
export function looksLike(a: string, b: string): boolean {
  const [left, right] = [plainOf(a), plainOf(b)]
  if (lettersOf(left) === lettersOf(right) || left.length === 0 || right.length === 0) return false
  if (skeleton(lettersOf(left)) === skeleton(lettersOf(right))) return true
  const [some, others] = [left.split(' '), right.split(' ')]
  if (some.length !== others.length) return false
  const differing = some.flatMap((word, at) => (word === others[at] ? [] : [[word, others[at] ?? ''] as const]))
  return differing.length === 1 && differing.every(([one, other]) => isTypoOf(one, other))
}

/** One letter added, omitted or replaced in a long word, or two neighbors swapped; not a plural, a number or a version. */
function isTypoOf(a: string, b: string): boolean {
  if (/\d/.test(a + b) || a === `${b}s` || b === `${a}s`) return false
  if (isSwapOf(a, b)) return a.length >= SWAPPED_WORD
  return Math.min(a.length, b.length) >= LONG_WORD && isOneEditFrom(a, b)
}

function isSwapOf(a: string, b: string): boolean {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return (
    a.length === b.length && at < a.length && a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2) === b
  )
}

function isOneEditFrom(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return long.length === short.length
    ? short.slice(at + 1) === long.slice(at + 1)
    : short.slice(at) === long.slice(at + 1)
}

/** Lower-case words: `sendMail`, `send-mail` and `Send_mail` are one name. */
export function plainOf(text: string): string {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[\s_\-./:]+/g, ' ')
    .trim()
}

const lettersOf = (plain: string) => plain.replaceAll(' ', '')

/**
 * Texts that look alike share one of these keys: numbers of 30 bits, computed from the text's skeleton, from its words, and from
 * its words with one letter omitted where a typo would count. Time and memory are linear in the length of the text. Other texts
 * may share a key by chance or by design, so `looksLike` decides.
 */
export function spellingKeys(text: string): readonly number[] {
  const plain = plainOf(text)
  if (plain === '') return []
  const keys = [hashOf(skeleton(lettersOf(plain)), 1), hashOf(plain, 2)]
  // With the hashes of everything before and after it, omitting one letter costs one multiplication.
  const after = new Int32Array(plain.length + 1)
  const power = new Int32Array(plain.length + 1).fill(1)
  for (let at = plain.length - 1, count = 1; at >= 0; at -= 1, count += 1) {
    power[count] = Math.imul(power[count - 1] ?? 1, BASE)
    after[at] = (after[at + 1] ?? 0) + Math.imul(plain.charCodeAt(at) + 1, power[count - 1] ?? 1)
  }
  let before = 2
  let start = 0
  for (const word of plain.split(' ')) {
    const end = start + word.length
    const counts = word.length >= SWAPPED_WORD && !/\d/.test(word)
    for (let at = start; at < Math.min(end + 1, plain.length); at += 1) {
      const rest = plain.length - at - 1
      if (counts && at < end) keys.push(fold(Math.imul(before, power[rest] ?? 1) + (after[at + 1] ?? 0)))
      before = Math.imul(before, BASE) + plain.charCodeAt(at) + 1
    }
    start = end + 1
  }
  return [...new Set(keys)]
}

const BASE = 0x01000193

function hashOf(text: string, seed: number): number {
  let hash = seed
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash, BASE) + text.charCodeAt(at) + 1
  return fold(hash)
}

/** Small integers are stored unboxed. */
const fold = (hash: number): number => (hash ^ (hash >>> 15)) & 0x3fff_ffff
