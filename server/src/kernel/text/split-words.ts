import { VERBS, type VerbClass } from './lexicon.ts'

/** `getHTTPStatus`, `get_http-status` and `Get.HTTP status` are the same three words. */
export function splitWords(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/\blook[^\p{L}]+up(?!\p{L})/gu, 'lookup')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
}

export type Inflection = 'base' | 'third' | 'gerund' | 'past'
export type Verb = { readonly verb: string; readonly is: VerbClass; readonly form: Inflection }

/** The base form of a verb in a sentence, if it is a known one. */
export function verbIn(word: string): Verb | undefined {
  const plain = VERBS.get(word)
  if (plain !== undefined) return { verb: word, is: plain, form: 'base' }
  if (!/(?:s|ing|ed)$/.test(word)) return undefined
  for (const [verb, form] of stems(word)) {
    const is = VERBS.get(verb)
    if (is !== undefined) return { verb, is, form }
  }
  return undefined
}

/** Irregular participles. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['bought', 'buy'],
  ['built', 'build'],
  ['driven', 'drive'],
  ['hidden', 'hide'],
  ['kept', 'keep'],
  ['made', 'make'],
  ['overwritten', 'overwrite'],
  ['paid', 'pay'],
  ['put', 'put'],
  ['rebuilt', 'rebuild'],
  ['reset', 'reset'],
  ['rewritten', 'write'],
  ['sent', 'send'],
  ['set', 'set'],
  ['shut', 'shutdown'],
  ['sold', 'sell'],
  ['split', 'split'],
  ['taken', 'take'],
  ['undone', 'undo'],
  ['withdrawn', 'withdraw'],
  ['written', 'write'],
])

/** The verb of a participle: "deleted", "sent". */
export function participleIn(word: string): Verb | undefined {
  const irregular = VERBS.get(IRREGULAR.get(word) ?? '')
  if (irregular !== undefined) return { verb: IRREGULAR.get(word) ?? word, is: irregular, form: 'past' }
  const verb = verbIn(word)
  return verb?.form === 'past' ? verb : undefined
}

function stems(word: string): (readonly [string, Inflection])[] {
  const found: (readonly [string, Inflection])[] = []
  if (word.endsWith('ies')) found.push([`${word.slice(0, -3)}y`, 'third'])
  if (word.endsWith('s')) found.push([word.slice(0, -1), 'third'])
  if (word.endsWith('es')) found.push([word.slice(0, -2), 'third'])
  for (const [ending, form] of [
    ['ing', 'gerund'],
    ['ed', 'past'],
  ] as const) {
    if (!word.endsWith(ending)) continue
    const stem = word.slice(0, -ending.length)
    found.push([stem, form], [`${stem}e`, form])
    if (ending === 'ed' && stem.endsWith('i')) found.push([`${stem.slice(0, -1)}y`, form])
    if (stem.at(-1) === stem.at(-2)) found.push([stem.slice(0, -1), form])
  }
  return found
}
