import {
  AUTHORITY_VERBS,
  CARRIER_VERBS,
  CARRYING_OUT,
  ARTIFACTS,
  DATA_NOUNS,
  EGRESS_VERBS,
  NOUNISH,
  READING_NOUNS,
  RESULT_NOUNS,
  UNSPACED_VERBS,
  type VerbClass,
} from '../../kernel/text/lexicon.ts'
import { readIdioms } from './read-idioms.ts'
import { readPromises } from './read-promises.ts'
import { verbClassOf } from './read-name.ts'
import type { Sign } from './sign.ts'
import { readConsequences } from './read-consequences.ts'
import { splitWords, verbIn, type Verb } from '../../kernel/text/split-words.ts'

/** How much of a description is read. Time is linear in this, and a catalogue may have thousands of tools. */
const LONGEST = 12_288
const SECTION =
  /(^|\n)[^\S\n]{0,40}(#{1,6}\s{0,4})?\*{0,3}(args|arguments|params|parameters|inputs?|examples?|usage|returns?|raises)\*{0,3}\s{0,4}:|<\w{1,64}>/i
const SENTENCE_END = /(?<=[.!?])\s+|\n\s*[-*•]\s+|\n\s*\n/

const HEAD: Readonly<Record<VerbClass, number>> = {
  read: 3,
  work_out: 3,
  derive: 3,
  soft_read: 2,
  write: 3,
  soft_write: 1,
  destructive: 3,
}

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words that can precede the verb of a clause. */
const BEFORE_VERB = list(`
  a ability able action ai also an agent agents api assistant assistants asynchronously automatically atomically be bulk batch
  can clients command conditionally designed directly easily efficiently endpoint first for function helper immediately
  instantly interactively it llms mcp method models new operation optionally permanently programmatically quickly safely
  securely selectively server simple simply single supported system temporarily that the this to tool tools used user users
  utility will with you your
`)
/** Verbs that address the agent or describe the tool. */
const NO_ACTION = list('allow allows call do does has help helps is let lets support supports use uses')
const PEOPLE = list('agents ai assistants clients developers llms models the user users you')
const PURPOSE = list('tool tools used')
const JOINS = list('and or then')
/** What follows a noun and hardly ever a verb: "Posts of the accounts", "Votes per option". */
const OF = list('between of per since under')
const QUESTIONS = list('how whether which who whose')

/** What a description says the tool does: the first verb of its first sentence counts most; promises and warnings count too. */
export function readDescription(description: string, name: string): Sign[] {
  const text = description
    .slice(0, LONGEST)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n(?: ?\n)+/g, '\n\n')
    .replaceAll(/\b(looks?) up\b/gi, (_, look: string) => (look.endsWith('s') ? 'lookups' : 'lookup'))
  const cut = actionPartOf(text)
  const sentences = sentencesOf(text.slice(0, cut))
  const signs: Sign[] = []
  let headed: Verb | undefined
  for (const [at, sentence] of sentences.entries()) {
    const verbs = actionVerbs(sentence)
    const [head] = verbs
    if (headed === undefined && at < 3 && head !== undefined) {
      signs.push(...headSigns(head, sentence, name), ...verbs.slice(1).flatMap((verb) => alongside(verb)))
      headed = head
    } else signs.push(...verbs.filter((verb) => verb.form === 'third').flatMap((verb) => later(verb)))
  }
  if (headed === undefined) signs.push(...unspacedVerb(sentences[0] ?? ''), ...nounPhrase(sentences[0] ?? ''))
  return [
    ...signs,
    ...readPromises(text, headed),
    ...readIdioms(sentences),
    ...readConsequences(sentences, sentencesOf(text.slice(cut)), name),
    ...unreadable(sentences),
    ...unread(description),
  ]
}

/** A sentence that opens with one of these describes the result; in a name (`provide_feedback`) they mean less. */
const GIVES = list('provide respond return')

function headSigns(head: Verb, sentence: string, name: string): Sign[] {
  const reading = CARRIER_VERBS.has(head.verb) ? objectOf(sentence).find((word) => READING_NOUNS.has(word)) : undefined
  // For a tool called `return_item`, "Returns an item" adds nothing.
  if (GIVES.has(head.verb)) return [{ ...sign('read', `"${head.verb}"`, 3), ...firmOf(head.verb, name) }]
  const artifact = head.verb === 'generate' ? objectOf(sentence).find((word) => ARTIFACTS.has(word)) : undefined
  if (artifact !== undefined) return [{ ...sign('read', `"generate ${artifact}"`, 3), firm: true }]
  if (reading === undefined && (head.is === 'soft_write' || SOFT_ACTS.has(head.verb)) && actsOn(sentence, head, name))
    return [{ ...sign('write', `"${head.verb}"`, HEAD.soft_write), forbids_read: 'unless_promised' }]
  // "Reading mode for the lamps": a noun.
  if (head.form === 'gerund' && /^\W{0,8}\p{L}+ing (?!an?\b|all\b|the\b)/u.test(sentence))
    return [sign(head.is === 'destructive' || head.is === 'write' ? 'write' : 'read', `"${head.verb}"`, 1)]
  if (reading === undefined) return verbSigns(head, HEAD[head.is])
  const found = sign('read', `"${head.verb} ${reading}"`, 2)
  if (!QUERIES.has(reading) || objectOf(sentence).some((word) => SEARCHES.has(word))) return [{ ...found, firm: true }]
  // A query can be any statement.
  return [{ ...sign('write', `"${head.verb} ${reading}"`, 1), forbids_read: 'unless_promised' }]
}

/** "Opens the package", "Handles a return". In the base form ("Open a new tab", "Select a tab") such verbs are usual for views, unless the name claims to read. */
const actsOn = (sentence: string, { form, verb }: Verb, name: string): boolean =>
  (form === 'third' || (form === 'base' && verbClassOf(name) === 'read')) &&
  !ABOUT_VIEWS.has(verb) &&
  ((CARRYING_OUT.has(verb) && /^\W{0,8}\p{L}+ \p{L}/u.test(sentence)) || hasObject(sentence)) &&
  !/\breturn(?:s|ing)?\b/i.test(sentence)
const hasObject = (sentence: string): boolean =>
  /^\W{0,8}\p{L}+ (?:(?:down|off|on|out|up) )?(?:an?|any|the|all|both|every|each|its|one|some|several|their|three|two|your)\b/iu.test(
    sentence,
  )
const ABOUT_VIEWS = list('go navigate perform resolve select')
/** Of the verbs that may read or act, the ones that act on their object: "Prints a label", "Offers a discount". */
const SOFT_ACTS = list('capture collect load offer ping poll print pull test watch')

const QUERIES = list('queries query')
/** Kinds of query that cannot change anything. */
const SEARCHES = list(
  'aggregation count find jql log logql logs lookup metric metrics promql read search searches select semantic similarity text trace traceql vector',
)

/** The first words of a sentence: "Executes a log query against …". */
const objectOf = (sentence: string): string[] => (sentence.toLowerCase().match(/\p{L}+/gu) ?? []).slice(1, 7)

const firmOf = (verb: string, name: string): { readonly firm?: true } =>
  verb !== 'respond' && !splitWords(name).includes(verb) ? { firm: true } : {}

const sentencesOf = (text: string): string[] => text.split(SENTENCE_END).filter((sentence) => /\p{L}/u.test(sentence))

/** Where lists of arguments and examples begin: they mention many verbs that are not this tool's action. */
function actionPartOf(text: string): number {
  const at = text.search(SECTION)
  return at > 0 ? at : text.length
}

/** The verbs at the start of a sentence or of one of its joined clauses. */
export function actionVerbs(sentence: string): Verb[] {
  const tokens =
    withoutLabel(sentence)
      .toLowerCase()
      .match(/[\p{L}_'’]+|[,:;/&>—–]/gu) ?? []
  // "Which resources a user may change or delete": what is asked, not what is done.
  if (QUESTIONS.has(tokens[0] ?? '')) return []
  const verbs: Verb[] = []
  let slot: Slot = 'opening'
  for (const [at, token] of tokens.entries()) {
    const verb = slot === 'closed' || isOpener(token, tokens[at + 1]) ? undefined : verbIn(token)
    // "Posts of the accounts that you follow": a plural.
    const isPlural = verb !== undefined && NOUNISH.has(verb.verb) && OF.has(tokens[at + 1] ?? '')
    if (verb !== undefined && !isPlural && fits(verb, verbs, slot)) verbs.push(verb)
    slot = slotAfter(token, tokens[at + 1], slot)
  }
  return verbs
}

/** Whether a verb is possible here: at the start of a sentence, joined to another clause, or not at all. */
type Slot = 'opening' | 'joined' | 'closed'

function slotAfter(token: string, next: string | undefined, slot: Slot): Slot {
  if (/^[:>—–]$/.test(token) || PURPOSE.has(token)) return 'opening'
  if (/^[,;/&]$/.test(token) || JOINS.has(token)) return slot === 'opening' ? 'opening' : 'joined'
  return slot !== 'closed' && (BEFORE_VERB.has(token) || isOpener(token, next)) ? slot : 'closed'
}

/** "allows you to", "enables agents to", "helps": what follows is the action. */
function isOpener(token: string, next: string | undefined): boolean {
  if (NO_ACTION.has(token)) return true
  return token === 'enable' || token === 'enables' ? next !== undefined && PEOPLE.has(next) : false
}

/** "START HERE for tables: List …", "[BETA] List …": a label in capitals is advice to the agent, not the action. */
const withoutLabel = (sentence: string): string =>
  sentence.replace(/^\s*\[[^\]]{0,80}\]\s*/u, '').replace(/^\s*\p{Lu}{2,20}[^:.]{0,60}:\s*/u, '')

/** A joined verb has the same form as the first; a plural noun after "Retrieves" only looks like one. */
function fits(verb: Verb, before: readonly Verb[], slot: Slot): boolean {
  const [head] = before
  if (verb.form === 'past') return false
  if (head === undefined) return slot === 'opening' || !NOUNISH.has(verb.verb)
  if (verb.form !== head.form) return false
  return !NOUNISH.has(verb.verb)
}

function verbSigns(verb: Verb, weight: number): Sign[] {
  const says = `"${verb.verb}"`
  if (verb.is === 'read') return [{ ...sign('read', says, weight), firm: true }]
  if (verb.is === 'work_out') return [{ ...sign('read', says, weight), firm: true, works_out: true, derives: true }]
  if (verb.is === 'derive') return [{ ...sign('read', says, weight), derives: true }]
  if (verb.is === 'soft_read') return [sign('read', says, weight)]
  const signs: Sign[] = [
    { ...sign('write', says, weight), ...(isFirm(verb) ? { forbids_read: 'unless_promised' } : {}) },
  ]
  if (verb.is === 'destructive') signs.push(sign('destructive', says, weight))
  if (EGRESS_VERBS.has(verb.verb)) signs.push(sign('external', says, weight))
  if (AUTHORITY_VERBS.has(verb.verb)) signs.push(sign('privileged', says, weight))
  return signs
}

function alongside(verb: Verb): Sign[] {
  if (verb.verb === 'return') return [RETURNS]
  return isFirm(verb) ? verbSigns(verb, 3) : []
}
function later(verb: Verb): Sign[] {
  if (verb.verb === 'return') return [RETURNS]
  return isFirm(verb) ? verbSigns(verb, 2) : []
}
/** "Accepts an array", "replaces the older tool": in a later sentence these are not the tool's action. */
const ASIDE = list('accept follow hold join label like order place replace resize set split start tag')
const isFirm = (verb: Verb): boolean => (verb.is === 'write' || verb.is === 'destructive') && !ASIDE.has(verb.verb)

/** Words that begin sentences in other languages and are not English. */
const FOREIGN = list(`
  aan al algo alla alle au auf aus avec bei con dal dans das de degli dei del della dem den der des di du dos een ein eine
  einem einen einer el em en entre est et eux för för het il im ist la las le les lo los luego mais med mit nach não och oder ou para
  pela pelo por pour que quel se sie sin sobre su sur todas todos toutes tous um uma un una und une unas uno unos van von voor zu zum zur
`)
const ENGLISH = list(`
  a about all an and any are as at be based by each for from given has if in into is it its matching more not of on one only or
  specific that the their this to two using what when where which whose with within you your
`)

/** Scripts that are not used for English, and letters that English words do not have. */
const OTHER_LETTERS =
  /[\u00c0-\u024f\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** A description in another language is evidence for neither side, and a name alone is then not enough. */
function unreadable(sentences: readonly string[]): Sign[] {
  const text = sentences.slice(0, 3).join(' ').slice(0, 1_000).toLowerCase()
  const words = text.match(/\p{L}+/gu) ?? []
  if (words.some((word) => ENGLISH.has(word))) return []
  const isKnown = UNSPACED_VERBS.some(([, verbs]) => verbs.some((verb) => text.includes(verb)))
  const foreign = words.find(
    (word) => FOREIGN.has(word) || OTHER_LETTERS.test(word) || (UNSPACED.test(word) && !isKnown),
  )
  if (foreign === undefined) return []
  return [{ ...sign('write', `"${foreign.slice(0, 40)}" is not English`, 1), forbids_read: 'always' }]
}

/** The unread rest may say anything. */
function unread(description: string): Sign[] {
  if (description.length <= LONGEST) return []
  return [{ ...sign('write', `the description is longer than ${LONGEST} characters`, 1), forbids_read: 'always' }]
}

function unspacedVerb(sentence: string): Sign[] {
  for (const [is, verbs] of UNSPACED_VERBS) {
    const verb = verbs.find((candidate) => sentence.includes(candidate))
    if (verb !== undefined) return verbSigns({ verb, is, form: 'base' }, HEAD[is])
  }
  return []
}

function nounPhrase(sentence: string): Sign[] {
  const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? []
  const noun = words.findLast((word) => RESULT_NOUNS.has(word))
  if (noun === undefined) return []
  if (noun !== words.at(-1)) return [sign('read', `"${noun}"`, 1)]
  return [{ ...sign('read', `"${noun}"`, 2), ...(DATA_NOUNS.has(noun) ? { firm: true } : {}) }]
}

const RETURNS: Sign = { effect: 'read', from: 'description', evidence: '"returns"', weight: 1, returns: true }

const sign = (effect: Sign['effect'], evidence: string, weight: number): Sign => ({
  effect,
  from: 'description',
  evidence,
  weight,
})
