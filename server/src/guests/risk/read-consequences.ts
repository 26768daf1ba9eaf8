import { CARRYING_OUT, NOUNISH, type VerbClass } from '../../kernel/text/lexicon.ts'
import { AFTER_NOUNS, isRelative, NO_VERBS } from './read-unknown-verb.ts'
import type { Sign } from './sign.ts'
import { participleIn, verbIn, type Inflection } from '../../kernel/text/split-words.ts'

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words that begin a direct object, so the word before is a verb and not a plural noun: "posts the summary". */
const OBJECT = list(`
  a all an any each every everybody everyone everything her him his it its my one our the their them these this those what whatever your
`)
/** Words after which something is described, rather than what the tool does: "users that are blocked", "how to delete". */
const SUBORDINATE = list(`
  after because before how if once since than that though unless until what when where whether which while who whom whose why
`)
const JOINS = list('& and but or plus then')
const BREAKS = list(', ; : ( ) — – - •')
const NEGATIONS = list("cannot can't doesn't don't isn't aren't won't neither never no none nor not nothing without")
/** Only a possibility: "can be deleted". */
const MODALS = list('can could may might must should would')
const BE = list('are be becomes gets is')
/** The finite verb of a subordinate clause: the next verb belongs to the main sentence again. */
const FINITE = list('are become becomes did do does get gets had has have is was were')
/** The subject of a sentence about the tool. */
const SUBJECTS = list(
  'also always automatically it immediately permanently server service system the then this tool will',
)
/** After one of these a gerund says how the tool does it: "verifies an address by sending a code". */
const MEANS = list('by thereby')
/** "is stored in", "are linked to": as often a state as an action. */
const STATES = list(`
  accept allow allocate apply associate assign attach build compose configure connect decline deny disable embed enable flag
  group hold install join label link lock make mark mount open order organise organize place prioritise prioritize protect rate
  record register reject release save schedule score set share split star start store sync synchronise synchronize tag train type
`)
const REGULARLY = list(
  'by constantly continuously daily every frequently hourly in monthly nightly periodically regularly weekly',
)
const PRONOUNS = list('her him it them')
const EACH = list('each it them those')
/** Of the verbs that may read or act, the ones that act when they follow another: "checks the payment and captures it". */
const SOFT_ACTS = list('capture collect debug load ping print pull test track watch')
/** "and handles the paging": how the answer is produced. */
const ABOUT_ANSWER = list('handle resolve select')
/** A sentence that begins with one of these addresses the agent, and is about another tool if it names one. */
const ADVICE = list(`
  after always before call do don't first for if instead make never note otherwise please prefer requires see there to unlike use when
  you
`)
const OPENERS = list('ability able allow allows designed enable enables helps lets used')
/** Words before an object that are not verbs, and verbs about the answer or the arguments. */
const NO_VERB = list(`
  about above across after against all along also among and around as at based because before behind below beside besides between
  beyond both but by concerning despite down during either even except following for from given here how if in inside instead
  into just like many most near not of off on once only onto or out outside over past per plus regarding rather since so some such than
  that then there though through throughout to toward towards under unlike until up upon upto using versus via was were what when
  where whether which while who whose why with within without
  cover covers carry carries combine combines contain contains corresponds depend depends exclude excludes expect expects follow
  follows have has highlight highlights honor honors honour honours ignore ignores include includes including keep keeps limit limits
  mean means mirror mirrors need needs omit omits output outputs preserve preserves produce produces refer refers require requires
  respect respects see sees span spans support supports take takes understand understands use uses wrap wraps yield yields
  does is are its this us has allows helps let lets works provides gives accept accepts default defaults hover
`)

/** One is enough to rule out a read; list a few for the reader. */
const ENOUGH = 6

type Scan = {
  /** The form of the sentence's first verb. */
  head: Inflection | undefined
  /** `open` until the verb of the subordinate clause has been seen. */
  subordinate: 'none' | 'open' | 'over'
  infinitive: boolean
  negated: boolean
  modal: boolean
  /** A clause may begin at the next word. */
  opens: boolean
}

/** Where a sentence is in the description: after lists of arguments and examples only plain statements count. */
type Place = 'first' | 'later' | 'tail'

/**
 * Finds sentences that name a consequence: a second verb ("… and deletes it"), a passive ("the old one is removed"), a means ("by
 * sending a code"). Each rules out a read. `tail` is the text after the part that says what the tool does.
 */
export function readConsequences(sentences: readonly string[], tail: readonly string[], own: string): Sign[] {
  const found: Sign[] = []
  for (const [at, sentence] of [...sentences, ...tail].entries()) {
    if (found.length >= ENOUGH) break
    found.push(...consequencesIn(sentence, own, at === 0 ? 'first' : at < sentences.length ? 'later' : 'tail'))
  }
  return found
}

function consequencesIn(sentence: string, own: string, place: Place): Sign[] {
  if (isAboutAnother(sentence, own) || isRelative(sentence)) return []
  const tokens = sentence.toLowerCase().match(/[\p{L}\p{N}_'’]+|[,;:()—–•&-]/gu) ?? []
  const scan: Scan = {
    head: undefined,
    subordinate: 'none',
    infinitive: false,
    negated: false,
    modal: false,
    opens: true,
  }
  const signs: Sign[] = []
  for (const [at, token] of tokens.entries()) {
    if (signs.length >= ENOUGH) return signs
    signs.push(...consequenceAt(tokens, at, scan, place))
    step(scan, token, tokens, at)
  }
  return signs
}

function consequenceAt(tokens: readonly string[], at: number, scan: Scan, place: Place): Sign[] {
  const token = tokens[at] ?? ''
  if (BE.has(token) || (token === 'get' && !scan.opens)) return passiveAt(tokens, at, scan)
  if (place === 'tail' || scan.negated || scan.modal) return []
  if (token === 'so' && isPurpose(tokens, at)) return barring('write', '"so that"')
  // "… and takes the payment"; "… and takes an optional limit" is about the arguments.
  if (/^takes?$/.test(token) && JOINS.has(tokens[at - 1] ?? '') && tokens[at + 1] === 'the' && place === 'first')
    return barring('write', `"${token}"`)
  if (NO_VERB.has(token)) return []
  const isMeans = MEANS.has(tokens[at - 1] ?? '')
  if (!scan.opens && !isMeans && !isNonRestrictive(tokens, at)) return []
  const verb = verbIn(token)
  if (place === 'first' && isSecondVerb(tokens, at, scan) && !reads(verb?.is))
    return barring(verb?.is ?? 'write', `"${token}"`)
  // "…, freeing each as it goes".
  if (
    verb === undefined &&
    tokens[at - 1] === ',' &&
    place === 'first' &&
    token.endsWith('ing') &&
    EACH.has(tokens[at + 1] ?? '')
  )
    return barring('write', `"${token}"`)
  // "by sounding it": even an unknown verb does something to the object.
  if (isMeans && verb === undefined && token.endsWith('ing') && PRONOUNS.has(tokens[at + 1] ?? ''))
    return barring('write', `by "${token}"`)
  if (verb === undefined) return unknownVerbAt(tokens, at, scan, place)
  if (isMeans && verb.form === 'gerund' && (isActing(verb.is) || CARRYING_OUT.has(verb.verb)))
    return barring(verb.is, `by "${token}"`)
  const hasObject = OBJECT.has(tokens[at + 1] ?? '')
  if (at === 0 || !scan.opens || scan.subordinate === 'open') return []
  // "…, clearing them".
  if (verb.form === 'gerund' && hasObject && verb.is === 'destructive') return barring(verb.is, `"${token}"`)
  if (
    verb.form === 'gerund' &&
    verb.is === 'write' &&
    verb.verb !== 'make' &&
    (PRONOUNS.has(tokens[at + 1] ?? '') || EACH.has(tokens[at + 1] ?? ''))
  )
    return barring(verb.is, `"${token}"`)
  // "… and captures it".
  if (place === 'first' && hasObject && SOFT_ACTS.has(verb.verb) && hasForm(verb.form, scan, hasObject))
    return barring('write', `"${token}"`)
  if (!hasForm(verb.form, scan, hasObject) || (verb.form === 'gerund' && place !== 'first')) return []
  // "always call this tool when …" addresses the agent.
  if (
    verb.is === 'soft_write' &&
    !ABOUT_ANSWER.has(verb.verb) &&
    hasObject &&
    tokens[at + 1] !== 'this' &&
    place === 'first'
  )
    return barring(verb.is, `"${token}"`)
  if (!isActing(verb.is) || (NOUNISH.has(verb.verb) && !hasObject && !isJoinedVerb(tokens, at, scan))) return []
  if (place === 'later' && verb.form !== 'third' && !hasObject) return []
  // "key, description, dispatch status" lists nouns.
  if (verb.form === 'base' && !hasObject && !JOINS.has(tokens[at - 1] ?? '')) return []
  return barring(verb.is, `"${token}"`)
}

const reads = (is: VerbClass | undefined): boolean =>
  is === 'read' || is === 'work_out' || is === 'derive' || is === 'soft_read'

/** ", which accepts it": says what the call does; "users which are blocked" does not. */
const isNonRestrictive = (tokens: readonly string[], at: number): boolean =>
  tokens[at - 1] === 'which' && tokens[at - 2] === ','

/** "Checks who is there and marks the rest": a verb in the third person after the first one, with its object. */
function isSecondVerb(tokens: readonly string[], at: number, scan: Scan): boolean {
  const [before = '', token = '', next = ''] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (scan.head !== 'third' || !/^\p{L}{3,}s$/u.test(token) || /(?:ss|us|is)$/.test(token) || NO_VERBS.has(token))
    return false
  if (before !== 'and' && before !== 'then' && !isNonRestrictive(tokens, at)) return false
  return OBJECT.has(next) || PRONOUNS.has(next) || isJoinedVerb(tokens, at, scan)
}

/** "… and closes deals without activity": the word after a noun would be a preposition, or nothing. */
function isJoinedVerb(tokens: readonly string[], at: number, { head }: Scan): boolean {
  const [before = '', token = '', next = ''] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (head !== 'third' || !token.endsWith('s') || (before !== 'and' && before !== 'then')) return false
  return /^\p{L}{3,}$/u.test(next) && !AFTER_NOUNS.has(next) && next !== 'of' && !/(?:ed|ing|ble)$/.test(next)
}

/** "… and yeets the account": an unknown verb, at the start or joined to the first verb. */
function unknownVerbAt(tokens: readonly string[], at: number, scan: Scan, place: Place): Sign[] {
  const token = tokens[at] ?? ''
  if (place !== 'first' || !scan.opens || scan.subordinate === 'open' || scan.infinitive) return []
  if (!/^\p{L}{3,}$/u.test(token) || OBJECT.has(token)) return []
  if (!OBJECT.has(tokens[at + 1] ?? '')) return []
  const isThird = token.endsWith('s') && !token.endsWith('ss')
  const fits =
    at === 0 || (scan.head === 'third' ? isThird : scan.head === 'base' && !isThird && !token.endsWith('ing'))
  return fits && !token.endsWith('ly') ? barring('write', `"${token}" is not a known verb`) : []
}

/** "is deleted", "are then sent", "will be charged". */
function passiveAt(tokens: readonly string[], at: number, scan: Scan): Sign[] {
  const before = tokens[at - 1] ?? ''
  if (scan.subordinate === 'open' || scan.modal) return []
  if (scan.subordinate === 'over' ? NEGATIONS.has(before) : scan.negated) return []
  let next = at + 1
  while (next < at + 4 && isAdverb(tokens[next] ?? '')) next += 1
  const verb = participleIn(tokens[next] ?? '')
  if (verb === undefined || !isActing(verb.is)) return []
  const isFuture = tokens[at] === 'be'
  if (isFuture && !tokens.slice(Math.max(0, at - 3), at).includes('will')) return []
  if (!isFuture && STATES.has(verb.verb)) return []
  // "Prices are updated daily", "issues are created by users": not what a call does.
  const isUsual = tokens.slice(next + 1, next + 3).some((token) => REGULARLY.has(token))
  if (isUsual && verb.is !== 'destructive') return []
  return barring(verb.is, `"${tokens[at]} ${tokens[next]}"`)
}

function step(scan: Scan, token: string, tokens: readonly string[], at: number): void {
  if (BREAKS.has(token) || JOINS.has(token)) return stepOver(scan, token)
  if (NEGATIONS.has(token)) scan.negated = true
  if (MODALS.has(token)) scan.modal = true
  if (FINITE.has(token) && scan.subordinate === 'open') scan.subordinate = 'over'
  else if (SUBORDINATE.has(token)) scan.subordinate = 'open'
  if (token === 'to') {
    const opens = tokens.slice(Math.max(0, at - 3), at).some((one) => OPENERS.has(one) || one === 'tool')
    scan.infinitive = !opens
    scan.opens = opens
    return
  }
  const verb = scan.opens ? verbIn(token) : undefined
  if (verb !== undefined) scan.head ??= verb.form
  else if (at === 0 && /^\p{L}{3,}[^s]s$/u.test(token) && !NO_VERB.has(token)) scan.head ??= 'third'
  if (verb !== undefined && verb.form !== 'base') scan.infinitive = false
  if (!SUBJECTS.has(token) && !isAdverb(token) && !(at === 0 && OPENERS.has(token))) scan.opens = false
}

/** The clause continues in "users that are blocked or deleted", and ends in "…, and deletes them". */
function stepOver(scan: Scan, token: string): void {
  const ends = BREAKS.has(token) || token === 'then' || token === 'but'
  if (ends) {
    scan.modal = false
    scan.negated = false
  }
  scan.subordinate = ends ? 'none' : scan.subordinate === 'over' ? 'open' : scan.subordinate
  scan.opens = true
}

/** A joined verb has the same form as the first. In "may create, update or delete" the list belongs to the infinitive. */
function hasForm(form: Inflection, { head, infinitive }: Scan, hasObject: boolean): boolean {
  if (form === 'past') return false
  if (form === 'third') return head !== 'base' || hasObject
  return form === head && !infinitive
}

/** "so that nobody else can use it"; "so that you can …" addresses the agent. */
const isPurpose = (tokens: readonly string[], at: number): boolean =>
  tokens[at + 1] === 'that' && !['it', 'the', 'you'].includes(tokens[at + 2] ?? '')

const isActing = (is: VerbClass): boolean => is === 'write' || is === 'destructive'
const isAdverb = (token: string): boolean =>
  token.endsWith('ly') || token === 'then' || token === 'also' || token === 'now' || token === 'first'

/** "Use `delete_page` to delete a page": describes another tool. */
function isAboutAnother(sentence: string, own: string): boolean {
  const first = /[\p{L}'’]+/u.exec(sentence)?.[0].toLowerCase() ?? ''
  if (!ADVICE.has(first)) return false
  const named = sentence.match(/`[^`\s]{1,80}`|\b[a-z0-9]+_[a-z0-9_]+\b|\binstead\b/gi) ?? []
  return named.some((name) => name.replaceAll('`', '').toLowerCase() !== own.toLowerCase())
}

function barring(is: VerbClass, evidence: string): Sign[] {
  const bar: Sign = { effect: 'write', from: 'description', evidence, weight: 2, forbids_read: 'unless_promised' }
  return is === 'destructive' ? [bar, { effect: 'destructive', from: 'description', evidence, weight: 2 }] : [bar]
}
