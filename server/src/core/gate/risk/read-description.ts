import {
  AUTHORITY_VERBS,
  CARRIER_VERBS,
  EGRESS_VERBS,
  NOUNISH,
  READING_NOUNS,
  RESULT_NOUNS,
  UNSPACED_VERBS,
  type VerbClass,
} from './lexicon.ts'
import { readPromises } from './read-promises.ts'
import type { Sign } from './sign.ts'
import { verbIn, type Verb } from './split-words.ts'

/** More than any honest description needs; what a server hides behind it counts as not said. */
const LONGEST = 4_000
const SECTION =
  /(^|\n)\s*(#+\s*)?\**(args|arguments|params|parameters|inputs?|examples?|usage|returns?|raises|notes?)\**\s*:|<\w+>/i
const SENTENCE_END = /(?<=[.!?])\s+|\n\s*[-*•]\s+|\n\s*\n/

const HEAD: Readonly<Record<VerbClass, number>> = { read: 3, soft_read: 2, write: 3, soft_write: 1, destructive: 3 }

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words that may stand between the start of a clause and its verb. */
const BEFORE_VERB = list(`
  a ability able action ai also an agent agents api assistant assistants asynchronously automatically atomically be bulk batch
  can clients command conditionally designed directly easily efficiently endpoint first for function helper immediately
  instantly interactively it llms mcp method models new operation optionally permanently programmatically quickly safely
  securely selectively server simple simply single supported system temporarily that the this to tool tools used user users
  utility which will with you your
`)
/** Verbs that in a sentence speak to the agent or about the tool. */
const NO_ACTION = list('allow allows call do does has help helps is let lets support supports use uses')
const PEOPLE = list('agents ai assistants clients developers llms models the user users you')
const PURPOSE = list('tool tools used')
const JOINS = list('and or then')

/** What a description says the tool does: the verb its first sentence opens with counts most, promises and warnings count too. */
export function readDescription(description: string): Sign[] {
  const text = description
    .slice(0, LONGEST)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n(?: ?\n)+/g, '\n\n')
  const body = actionPart(text)
  const sentences = body.split(SENTENCE_END).filter((sentence) => /\p{L}/u.test(sentence))
  const signs: Sign[] = []
  let headed: Verb | undefined
  for (const [at, sentence] of sentences.slice(0, 12).entries()) {
    const verbs = actionVerbs(sentence)
    const [head] = verbs
    if (headed === undefined && at < 3 && head !== undefined) {
      signs.push(...headSigns(head, sentence), ...verbs.slice(1).flatMap((verb) => alongside(verb)))
      headed = head
    } else signs.push(...verbs.filter((verb) => verb.form === 'third').flatMap((verb) => later(verb)))
  }
  if (headed === undefined) signs.push(...unspacedVerb(sentences[0] ?? ''), ...nounPhrase(sentences[0] ?? ''))
  return [...signs, ...readPromises(text, headed)]
}

/** A sentence that opens with one of these says what comes back; in a name (`provide_feedback`) they say less. */
const GIVES = list('provide respond return')

function headSigns(head: Verb, sentence: string): Sign[] {
  const reading = CARRIER_VERBS.has(head.verb) ? objectOf(sentence).find((word) => READING_NOUNS.has(word)) : undefined
  if (GIVES.has(head.verb)) return [sign('read', `"${head.verb}"`, 3)]
  return reading === undefined ? verbSigns(head, HEAD[head.is]) : [sign('read', `"${head.verb} ${reading}"`, 2)]
}

/** The first words of a sentence: "Executes a log query against …". */
const objectOf = (sentence: string): string[] => (sentence.toLowerCase().match(/\p{L}+/gu) ?? []).slice(1, 7)

/** Lists of arguments, examples and hints for the agent speak of many verbs that are not this tool's. */
function actionPart(text: string): string {
  const at = text.search(SECTION)
  return at > 0 ? text.slice(0, at) : text
}

/** The verbs that stand where a sentence or one of its joined clauses begins. */
export function actionVerbs(sentence: string): Verb[] {
  const tokens =
    withoutLabel(sentence)
      .toLowerCase()
      .match(/[\p{L}_'’]+|[,:;/&>—–]/gu) ?? []
  const verbs: Verb[] = []
  let slot: Slot = 'opening'
  for (const [at, token] of tokens.entries()) {
    const verb = slot === 'closed' || isOpener(token, tokens[at + 1]) ? undefined : verbIn(token)
    if (verb !== undefined && fits(verb, verbs, slot)) verbs.push(verb)
    slot = slotAfter(token, tokens[at + 1], slot)
  }
  return verbs
}

/** Where a verb may stand: at the opening of a sentence, joined to another clause, or not here. */
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

/** "START HERE for tables: List …", "[BETA] List …": a shouted label is advice to the agent, not the action. */
const withoutLabel = (sentence: string): string =>
  sentence.replace(/^\s*\[[^\]]{0,80}\]\s*/u, '').replace(/^\s*\p{Lu}{2,}[^:.]{0,60}:\s*/u, '')

/** A joined verb has the form of the first; a plural noun after "Retrieves" looks like one and is not. */
function fits(verb: Verb, before: readonly Verb[], slot: Slot): boolean {
  const [head] = before
  if (verb.form === 'past') return false
  if (head === undefined) return slot === 'opening' || !NOUNISH.has(verb.verb)
  if (verb.form !== head.form) return false
  return !NOUNISH.has(verb.verb)
}

function verbSigns(verb: Verb, weight: number): Sign[] {
  const says = `"${verb.verb}"`
  if (verb.is === 'read' || verb.is === 'soft_read') return [sign('read', says, weight)]
  const signs = [sign('write', says, weight)]
  if (verb.is === 'destructive') signs.push(sign('destructive', says, weight))
  if (EGRESS_VERBS.has(verb.verb)) signs.push(sign('external', says, weight))
  if (AUTHORITY_VERBS.has(verb.verb)) signs.push(sign('privileged', says, weight))
  return signs
}

const alongside = (verb: Verb): Sign[] => (isFirm(verb) ? verbSigns(verb, 3) : [])
function later(verb: Verb): Sign[] {
  if (verb.verb === 'return') return [sign('read', '"returns"', 1)]
  return isFirm(verb) ? verbSigns(verb, 2) : []
}
/** "Accepts an array", "replaces the older tool": a later sentence is about something else. */
const ASIDE = list('accept follow hold join label order place replace set split start')
const isFirm = (verb: Verb): boolean => (verb.is === 'write' || verb.is === 'destructive') && !ASIDE.has(verb.verb)

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
  return noun === undefined ? [] : [sign('read', `"${noun}"`, noun === words.at(-1) ? 2 : 1)]
}

const sign = (effect: Sign['effect'], evidence: string, weight: number): Sign => ({
  effect,
  from: 'description',
  evidence,
  weight,
})
