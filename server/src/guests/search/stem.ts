/**
 * Reduces an English word to its stem, following Porter: suffixes are removed in steps, each only if enough of the word is left.
 * The stem need not be a word; it only has to be the same for all forms of one word. Expects lower case.
 */
export function stem(word: string): string {
  if (word.length < 3 || word.length > MAX_LENGTH || !/^[a-z]+$/.test(word)) return word
  const irregular = IRREGULAR.get(word)
  if (irregular !== undefined) return irregular
  let text = dropPlural(word)
  text = dropTense(text)
  if (text.length > 2 && text.endsWith('y') && !isVowelAt(text, text.length - 2)) text = `${text.slice(0, -1)}i`
  text = replaceSuffix(text, LONG_SUFFIXES, 0)
  text = replaceSuffix(text, MIDDLE_SUFFIXES, 0)
  text = dropResidue(text)
  return dropFinal(text)
}

/** Longer "words" are keys, hashes or nonsense, not English. */
const MAX_LENGTH = 32

/** Forms that no suffix rule joins, and words that the rules would join wrongly. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    analyses: 'analysi',
    analyze: 'analysi',
    analyzes: 'analysi',
    analyzed: 'analysi',
    analyzing: 'analysi',
    analyse: 'analysi',
    analysed: 'analysi',
    analysing: 'analysi',
    analysis: 'analysi',
    analytics: 'analysi',
    analyzer: 'analysi',
    bought: 'buy',
    built: 'build',
    children: 'child',
    creator: 'creat',
    creators: 'creat',
    criteria: 'criterion',
    data: 'data',
    drawn: 'draw',
    drew: 'draw',
    feet: 'foot',
    flew: 'fly',
    found: 'find',
    gave: 'give',
    given: 'give',
    got: 'get',
    gotten: 'get',
    indices: 'index',
    indexes: 'index',
    kept: 'keep',
    leaves: 'leaf',
    lives: 'life',
    lost: 'lose',
    made: 'make',
    matrices: 'matrix',
    media: 'media',
    men: 'man',
    met: 'meet',
    mice: 'mouse',
    news: 'news',
    organ: 'organs',
    organs: 'organs',
    paid: 'pay',
    people: 'person',
    ran: 'run',
    said: 'say',
    sent: 'send',
    series: 'seri',
    shown: 'show',
    sold: 'sell',
    spent: 'spend',
    status: 'status',
    taken: 'take',
    teeth: 'tooth',
    told: 'tell',
    took: 'take',
    universities: 'university',
    university: 'university',
    vertices: 'vertex',
    women: 'woman',
    written: 'write',
    wrote: 'write',
  }),
)

const isVowelAt = (text: string, at: number): boolean => {
  const letter = text[at] ?? ''
  if ('aeiou'.includes(letter)) return letter !== ''
  return letter === 'y' && at > 0 && !isVowelAt(text, at - 1)
}

function hasVowel(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (isVowelAt(text, at)) return true
  return false
}

/** How many times a vowel is followed by a consonant: roughly, the number of syllables left. */
function measure(text: string): number {
  let turns = 0
  let vowel = false
  for (let at = 0; at < text.length; at += 1) {
    const now = isVowelAt(text, at)
    if (vowel && !now) turns += 1
    vowel = now
  }
  return turns
}

const endsDouble = (text: string): boolean =>
  text.length > 1 && text.at(-1) === text.at(-2) && !isVowelAt(text, text.length - 1)

/** Consonant, vowel, consonant: the form that takes a silent e, as in `fil(e)`. */
function endsShort(text: string): boolean {
  const last = text.length - 1
  return (
    last >= 2 &&
    !isVowelAt(text, last) &&
    isVowelAt(text, last - 1) &&
    !isVowelAt(text, last - 2) &&
    !'wxy'.includes(text[last] ?? '')
  )
}

function dropPlural(text: string): string {
  if (text.endsWith('sses') || text.endsWith('xes') || text.endsWith('ches') || text.endsWith('shes'))
    return text.slice(0, -2)
  if (text.endsWith('ies')) return text.length > 4 ? `${text.slice(0, -3)}y` : text.slice(0, -1)
  if (text.endsWith('ss') || text.endsWith('us') || text.endsWith('is')) return text
  return text.endsWith('s') ? text.slice(0, -1) : text
}

function dropTense(text: string): string {
  if (text.endsWith('eed')) return measure(text.slice(0, -3)) > 0 ? text.slice(0, -1) : text
  const cut = text.endsWith('ed') ? 2 : text.endsWith('ing') ? 3 : 0
  const left = cut === 0 ? '' : text.slice(0, -cut)
  if (left.length < 2 || !hasVowel(left)) return text
  if (left.endsWith('at') || left.endsWith('bl') || left.endsWith('iz')) return `${left}e`
  if (endsDouble(left) && !/[lsz]$/.test(left)) return left.slice(0, -1)
  return measure(left) === 1 && endsShort(left) ? `${left}e` : left
}

type Suffixes = readonly (readonly [suffix: string, by: string])[]

const LONG_SUFFIXES: Suffixes = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['biliti', 'ble'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['ously', 'ous'],
  ['ousli', 'ous'],
  ['entli', 'ent'],
  ['alli', 'al'],
  ['eli', 'e'],
  ['izer', 'ize'],
  ['alism', 'al'],
  ['logi', 'log'],
  ['abli', 'able'],
]

const MIDDLE_SUFFIXES: Suffixes = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]

function replaceSuffix(text: string, suffixes: Suffixes, least: number): string {
  const found = suffixes.find(([suffix]) => text.endsWith(suffix))
  if (found === undefined) return text
  const left = text.slice(0, -found[0].length)
  return measure(left) > least ? left + found[1] : text
}

const RESIDUE = [
  'ement', 'ance', 'ence', 'able', 'ible', 'ment', 'ant', 'ent', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize', 'ise',
  'ion', 'al', 'er', 'or', 'ic',
] // prettier-ignore

function dropResidue(text: string): string {
  const suffix = RESIDUE.find((end) => text.endsWith(end))
  if (suffix === undefined) return text
  const left = text.slice(0, -suffix.length)
  if (suffix === 'ion') return /[st]$/.test(left) && left.length > 4 ? left : text
  return measure(left) < 2 ? text : left
}

function dropFinal(text: string): string {
  if (text.endsWith('e')) {
    const left = text.slice(0, -1)
    const turns = measure(left)
    if (turns > 1 || (turns === 1 && !endsShort(left))) return left
  }
  return text.endsWith('ll') && measure(text) > 1 ? text.slice(0, -1) : text
}
