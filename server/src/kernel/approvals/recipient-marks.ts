import { numberedText } from '../contract/visible-text.ts'
import { asciiLookAlike, skeleton } from '../catalogue/confusables.ts'
import { looksLike } from '../catalogue/look-alike.ts'
import type { ArgumentLeaf } from '../text/argument-roles.ts'

/** A recipient of a call, and a known one that it can be mistaken for. */
export type LookAlikeValue = { readonly at: string; readonly known: string }

/** Longer texts are not compared: they are no names. */
const LONGEST = 320
const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Hebrew', 'Arabic'] as const
const LETTERS = SCRIPTS.map((script) => [script, new RegExp(`^\\p{Script=${script}}$`, 'u')] as const)
/** Ordinary writing mixes these with each other and with Latin letters. */
const EAST_ASIAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]$/u
/** Phonetic letters, which look like plain ones: `ɡ`, `ᴀ`, `ꜱ`. */
const PHONETIC = /[\u0250-\u02AF\u1D00-\u1DBF\uA720-\uA7FF]/u
/** Also where ordinary writing has them, as between the letters of some scripts. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u
const ASCII = /^[\x20-\x7e]*$/

/**
 * What can mislead about a recipient, in words: letters of several alphabets in one word, invisible characters, or that it looks like
 * another one of this call or a known one.
 */
export function marksOf(
  leaves: readonly ArgumentLeaf[],
  look_alikes: readonly LookAlikeValue[],
): (leaf: ArgumentLeaf) => string | undefined {
  const groups = new Map<string, Set<string>>()
  for (const { text } of leaves) {
    if (text.length > LONGEST) continue
    const key = glance(text)
    groups.set(key, (groups.get(key) ?? new Set()).add(text))
  }
  const known = new Map(look_alikes.map((one) => [one.at, one.known]))
  return ({ at, text }) => {
    const other = known.get(at) ?? otherOf(text, groups)
    const says = [...oddOf(text), ...(other === undefined ? [] : [`can be mistaken for ${numberedText(other)}`])]
    return says.length === 0 ? undefined : says.join(', ')
  }
}

/** The first known recipient that each of these can be mistaken for, unless it is known itself. */
export function lookAlikesOf(leaves: readonly ArgumentLeaf[], known: ReadonlySet<string>): readonly LookAlikeValue[] {
  const same = new Set([...known].map((text) => text.toLowerCase()))
  return leaves.flatMap(({ at, text }) => {
    if (text.length > LONGEST || same.has(text.toLowerCase())) return []
    const other = [...known].find((one) => one.length <= LONGEST && isConfusable(text, one))
    return other === undefined ? [] : [{ at, known: other }]
  })
}

const isConfusable = (a: string, b: string) => glance(a) === glance(b) || looksLike(a, b)

const glance = (text: string) => skeleton(text).replaceAll(' ', '')

function otherOf(text: string, groups: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  if (text.length > LONGEST) return undefined
  const key = glance(text)
  return key === '' ? undefined : [...(groups.get(key) ?? [])].find((one) => one !== text)
}

function oddOf(text: string): readonly string[] {
  if (ASCII.test(text)) return text.trim() === text ? [] : ['with spaces around it']
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? []
  const mixed = words.map(scriptsIn).find((scripts) => scripts.length > 1)
  const plain = text.normalize('NFKC')
  // A name that is wholly in another alphabet misleads nobody.
  const alike = (/\p{Script=Latin}/u.test(text) ? words : []).map(asAscii).find((word) => word !== undefined)
  return [
    ...(text.trim() === text ? [] : ['with spaces around it']),
    ...(UNSEEN.test(text) ? ['with invisible characters'] : []),
    ...(mixed === undefined ? [] : [`mixes ${mixed.join(' and ')} letters in a word`]),
    ...(alike === undefined ? [] : [`not Latin letters, but looks like ${alike}`]),
    ...(PHONETIC.test(text) ? ['with phonetic letters that look like plain ones'] : []),
    ...(plain === text.normalize('NFC') ? [] : [`reads as ${numberedText(plain)}`]),
  ]
}

function scriptsIn(word: string): readonly string[] {
  const letters = Array.from(word).filter((letter) => /\p{L}/u.test(letter) && !EAST_ASIAN.test(letter))
  return [...new Set(letters.map((letter) => LETTERS.find(([, of]) => of.test(letter))?.[0] ?? 'other'))]
}

/** The Latin word that a word of another alphabet looks like. */
function asAscii(word: string): string | undefined {
  const letters = Array.from(word)
  if (letters.length < 2 || letters.some((letter) => /[\p{ASCII}\p{Script=Latin}]/u.test(letter))) return undefined
  const plain = letters.map(asciiLookAlike)
  return plain.includes(undefined) ? undefined : plain.join('')
}
