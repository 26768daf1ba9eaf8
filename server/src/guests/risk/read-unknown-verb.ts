import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import { NOUNISH, VERBS, type VerbClass } from '../../kernel/text/lexicon.ts'
import type { Sign } from './sign.ts'
import { splitWords, verbIn } from '../../kernel/text/split-words.ts'

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words after which something is moved or changed: a noun phrase that describes a result does not have them. */
const TARGETS = /\b(?:into|onto|off|away|aside|back to|over to)\b/i
const DETERMINERS = list(
  'a all an another any each every everybody everyone it its one our some the their them these this those two you your',
)
/** What follows a plural noun: "Results of the last run", "Days that are left". A verb has its object there. */
export const AFTER_NOUNS = list(`
  about across after along among and are around as at available based before behind below between by can could currently due during except
  following for from given grouped has have how if in including inside into is like matching may might must near not on only or ordered
  over per plus regarding related should since sorted such than that through throughout to under until used using via was were when where
  whether which while who whose with within without you your
`)
/** Words that end like a verb in the third person, and verbs that describe the tool. */
export const NO_VERBS = list(`
  access accesses across address analytics alias always aws basis business class details diagnostics dns express focus gas gives gis has
  https includes is its javascript kubernetes less metrics news ops os plus process progress redis returns rss sales series sms statistics
  status success supports takes this tls uses various via vs works yes
`)

/**
 * An unknown word in the position of the verb is the tool's verb, and its effect is unknown.
 * Either it begins both the name and the description (`sweep_balance`, "Sweeps idle balance into …"), or it begins the description,
 * inflected, and has an object ("Diverts traffic through …").
 */
export function readUnknownVerb({ name, description }: ToolDefinition): Sign[] {
  const [first = ''] = splitWords(name)
  const [sentence = ''] = (description ?? '').slice(0, 400).split(/[.!?:]\s/)
  const [opening = '', next = ''] = sentence.match(/[\p{L}\p{N}'’_/-]+|[,;()&]/gu) ?? []
  const word = opening.toLowerCase()
  if (verbIn(word) !== undefined || !/^\p{L}{3,}$/u.test(opening) || isRelative(sentence)) return []
  return opensBoth(word, first, next.toLowerCase(), sentence) ||
    isThirdPerson(opening, next.toLowerCase()) ||
    (actsUpon(sentence) && !splitWords(name).includes(word)) ||
    isPhrasal(sentence)
    ? [
        {
          effect: 'write',
          from: 'description',
          evidence: `"${word}" is not a known verb`,
          // It is unknown whether the verb also reaches people, so it rules out a read and adds no weight.
          weight: 0,
          forbids_read: 'unless_promised',
        },
      ]
    : []
}

function opensBoth(word: string, first: string, next: string, sentence: string): boolean {
  if (first.length < 3 || VERBS.has(first)) return false
  if (word === first) return DETERMINERS.has(next) || TARGETS.test(sentence)
  return DETERMINERS.has(next) && [`${first}s`, `${first}es`, `${first.slice(0, -1)}ies`].includes(word)
}

/** A sentence begins with one capital: names of products have more, or none. */
function isThirdPerson(opening: string, next: string): boolean {
  const word = opening.toLowerCase()
  if (!/^\p{Lu}\p{Ll}+s$/u.test(opening) || /(?:ss|us|is|ics|ings|ions|ents|ities)$/.test(word) || NO_VERBS.has(word))
    return false
  return /^\p{L}/u.test(next) && !AFTER_NOUNS.has(next) && next !== 'of' && !NOUNISH.has(next) && !next.endsWith('ed')
}

/** "Agrees to a trade", "Takes a dose out of the fridge"; "Takes a URL and returns the page" reads. */
const actsUpon = (sentence: string): boolean =>
  /^\W{0,8}(?:Takes|Uses|\p{Lu}\p{Ll}{2,}s(?<!ss|us|is|ings|ions|ents|ities) (?:for|to|up|out|off)) (?:an?|another|it|one|the|them|two|your)\b/u.test(
    sentence,
  ) && !readsToo(sentence.toLowerCase())
const readsToo = (sentence: string): boolean =>
  /^\W{0,8}takes an? (?:\p{L}+ ){0,3}(?:screenshot|snapshot)\b/u.test(sentence) ||
  [...sentence.matchAll(/(?:,|\b(?:and|by|for|then|to)) (\p{L}+)/gu)].some(([, word = '']) =>
    READING.has(verbIn(word)?.is ?? 'write'),
  )

/** "Top up a balance", "Fires up the engine": a word and a particle before an object are a verb. */
const isPhrasal = (sentence: string): boolean =>
  /^\W{0,8}\p{L}{2,} (?:away|back|down|in|off|out|over|through|up) (?:an?|another|her|his|it|the|their|them|this|your)\b/u.test(
    sentence,
  )
const READING: ReadonlySet<VerbClass> = new Set<VerbClass>(['derive', 'read', 'soft_read', 'work_out'])

/** "Hours a machine has run", "Values a release was installed with": a noun, described by the clause after it. */
export const isRelative = (sentence: string): boolean =>
  /^\p{L}+s (?:an?|the|your?) (?:\p{L}+ )?(?:\p{L}+ )?(?:can|did|does|had|has|have|is|made|may|ran|used|was|were)\b/iu.test(
    sentence,
  )
