import { CHECKED_TEXTS } from '../../kernel/text/lexicon.ts'
import type { Sign } from './sign.ts'

const oneOf = (text: string): string => `(?:${text.trim().split(/\s+/).join('|')})`

const A = '(?:an?|the|this|your|our|all|every|each|some|its|their)'
/** People other than the user of the agent. */
const PEOPLE = oneOf(`
  applicant applicants approver approvers attendees audience author authors bidders buyer buyers caller callers candidate candidates
  citizens client clients colleague colleagues contractor contractors crowd customer customers
  donors driver employee employees everybody everyone expert experts friend friends guest guests human manager managers member members moderators
  neighbours owner owners parents participants passenger passengers patient patients people person players public readers recipient recipients reviewer
  reviewers seller sellers sponsor sponsors staff stakeholder stakeholders student students subscriber subscribers supervisor supplier suppliers team teams tenant tenants vendor vendors viewers visitors
`)
const SURFACES = oneOf('billboard board dashboard display label phone screen sign tv wall watch')
const NOTICES = oneOf('ad advert advertisement banner dialog dialogue modal notification overlay pop-up popup toast')
/** Things that are created when somebody gets a new one. */
const ISSUED = oneOf(`
  account address certificate code credential id key lease licence license lock number passcode password pin seat secret session slot
  subscription token
`)
const PLACES = oneOf('appointment lease place ride seat slot spot table')
const STORES = oneOf(`
  account basket branch bucket calendar cart catalog catalogue channel chat cluster collection crm database dataset directory environment
  file folder inbox index mailbox newsletter production project queue registry repo repository sheet spreadsheet staging store table
  thread ticket tree warehouse wiki workspace
`)
/** Actions that somebody else is asked to do. */
const ASKED_FOR = oneOf(`
  access appointment approval authorisation authorization callback cancellation change changes collection consent delivery demo deposit
  leave loan payment payout permission pickup quote refund removal reset restart return ride service signature transfer upgrade visit
  withdrawal
`)
/** Ways to reach somebody or to change something, as nouns: "verifies a card with a small charge". */
const MEANS = oneOf(`
  call charge code deposit email letter link mail message notification payment post push reboot restart sms text transaction transfer write
`)
/** Verbs that pass on what they read, if they name somebody to pass it on to. */
const TELLING = '(?:answer|describe|display|explain|present|read|recommend|report|show|suggest|summari[sz]e)s?'
const CHECKED = oneOf([...CHECKED_TEXTS].join(' '))
const WORDS = "(?:[\\p{L}\\p{N}'’-]+ ){0,3}"
const find = (text: string): RegExp => new RegExp(`\\b${text}\\b`, 'iu')
/** What is found in a sentence, if anything. */
type Pattern = Pick<RegExp, 'exec'>
const BEFORE_CLAUSE = '(?:(?<=^\\W*)|(?:and|or|then|to|will|tool|,|:) )'
/**
 * The verb of a clause: at the start of the sentence, or joined to another. V8 needs milliseconds to compile a pattern of many words, so
 * the whole pattern is compiled for the first sentence that has its verb: the first word of the text.
 */
function act(text: string): Pattern {
  const [verb = text] = /^(?:\((?:[^()]|\([^()]*\))*\)|[^ ()])+/.exec(text) ?? []
  const begun = new RegExp(`\\b${BEFORE_CLAUSE}${verb}`, 'iu')
  let whole: RegExp | undefined
  return {
    exec: (sentence) => (begun.test(sentence) ? (whole ??= find(`${BEFORE_CLAUSE}${text}`)).exec(sentence) : null),
  }
}

/** Reading verbs that act because of the words beside them. Only the sentence that says what the tool does is checked. */
const ACTING: readonly Pattern[] = [
  // "Shows a banner to all visitors", "Recommends a colleague to the hiring team"; "sent to customers" only describes.
  act(
    `${TELLING} ${WORDS}(?:[\\p{L}\\p{N}-]+(?<!ed|able|ible|sent|access|related|due|given|relevant|similar) )to (?:${A} )?${WORDS}${PEOPLE}`,
  ),
  act(
    `(?:show|display)s? ${A} ${WORDS}(?:${NOTICES}|(?:on|in) ${A} ${WORDS}(?:${SURFACES}|public (?:page|site|profile|website)))`,
  ),
  act(`(?:get|obtain|retrieve|fetch|find)(?:s|es)? an? (?:(?:new|fresh|another) )${WORDS}${ISSUED}`),
  // Credentials that did not exist before, or that end soon, are issued by the call.
  act(
    `(?:get|give|obtain|provide|retrieve|return|fetch)(?:s|es)? (?:an? |the )?(?:ephemeral|fresh|new|one-time|scoped|short-lived|signed|temporary) ${WORDS}${ISSUED}s?`,
  ),
  // "Gets you a taxi": somebody is served.
  act('gets? (?:her|him|me|them|us|you) \\p{L}+'),
  // "Gets customers to opt in".
  act(`gets? (?:${A} )?(?:[\\p{L}-]+ )?${PEOPLE} to`),
  act(`gets? an? ${WORDS}${PLACES} [^.;]{0,40}\\bfor (?:an?|the|you|your|him|her|them)`),
  act(`gets? ${A} ${WORDS}(?:ready|started|going|running|moving|done)`),
  act(`gets? ${A} [\\p{L}-]+ (?:signed|approved|paid|booked|delivered|fixed)`),
  act(`gets? (?:the )?(?:approval|consent|permission|a signature) (?:from|of|for|by)`),
  // "List an item for sale"; "lists items for sale" reads.
  act(
    `lists? (?:an?|your|this) ${WORDS}(?:for (?:sale|rent|auction|hire|lease)|(?:on|at|with) ${A} ${WORDS}(?:auction|exchange|market(?:place)?|platform|shop|store))`,
  ),
  act(
    `(?:load|read|fetch|pull|get|retrieve|collect|gather|download|scan|summari[sz]e|describe|compare|explain|analy[sz]e|count|search|find)(?:s|es)? [^.;]{1,100}\\binto (?:${A} )?${WORDS}${STORES}`,
  ),
  act(
    `${TELLING} [^.;]{1,80}\\b(?:in an? ${WORDS}(?:letter|mail|e-mail|email|message)|by (?:e-?mail|fax|letter|mail|phone|post|push|sms|text))`,
  ),
  act(
    `(?:authenticate|check|confirm|diagnose|measure|test|validate|verif(?:y|ie))s? [^.;]{1,80}\\b(?:by|over|through|using|via|with) (?:an? |the )${WORDS}${MEANS}(?= (?:that|to|which|on|from)|[.,;]|$)`,
  ),
  act(`(?:lets?|tells?) (?:${A} )?${WORDS}${PEOPLE}`),
  act(`(?:brings?|gives?|hands?|makes?|offers?) (?:${A} )?(?:[\\p{L}-]+ )?${PEOPLE} (?:an?|the|their|what)`),
  // "Has the porter bring the luggage".
  act('has (?:an?|the|some(?:body|one)|your|one of)'),
  act(`lets? (?!you\\b)(?:[\\p{L}'’-]+ ){1,4}knows?`),
  // "Gets the customer their money back".
  act(`gets? (?:${A} )?(?:[\\p{L}-]+ )?${PEOPLE} (?:an?|her|his|some|their)`),
  act(`takes? (?:an?|the|your) ${WORDS}(?:backup|copy|deposit|order|payment|reservation|seat|slot|vote)`),
  // Counting one thing adds it; counting many reads.
  act('counts? (?:an?|one|this|your) (?!list|set|string|text)[\\p{L}-]+ (?:as|for|in|of|to|towards?)'),
  /\b(?:[Ll]oad|[Rr]ead|[Ff]etch|[Pp]ull|[Dd]ownload)(?:s|es)? [^.;]{1,100}\binto (?!Markdown|English|Python|Celsius)[A-Z][a-z]/u,
  act(`(?:ask|prompt)s? (?:${A} )?${WORDS}(?:${PEOPLE}|user|users)`),
  act(`requests? (?:(?:an?|the|your) )?${WORDS}${ASKED_FOR}`),
  act(`reads? [^.;]{1,60}\\b(?:aloud|out loud|over the (?:speakers?|phone|intercom))`),
  act('(?:measure|count)s? out'),
  act(`reads? (?:${A} )?${WORDS}out(?= (?:in|on|over|to)|[.,;]|$)`),
  act(`checks? (?:(?:${A} )?(?:[\\p{L}-]+ )?${PEOPLE}|her|him|them|you) (?:in|out|off)`),
  // Whoever has a lock keeps others out.
  act(
    `(?:get|obtain|take|retrieve|fetch)(?:s|es)? an? ${WORDS}(?:lock|lease|mutex|semaphore)(?= (?:on|for|of|that|so|until|which)|[.,;]|$)`,
  ),
  act(
    `(?:get|retrieve|collect|fetch|pull)(?:s|es)? (?:the )?${WORDS}(?:cash|deposit|funds|money) [^.;]{0,60}\\bfrom [^.;]{1,60}\\bto`,
  ),
  // What is run may do anything, unless it is said to read only.
  act(
    `(?:run|execute)s? (?:(?:an?|the|any|your) )?(?:graphql |stored |saved )?(?:document|function|job|macro|mutation|operation|pipeline|playbook|procedure|program|script|task|workflow)`,
  ),
  act('(?:run|execute)s? explain analyze'),
]

/** Something ends as a consequence: "the old key stops working". */
const ENDINGS = find(
  '(?:stops (?:working|being)|disappears|vanishes|self-destructs|no longer (?:works?|valid|usable|accessible)|becomes? (?:invalid|unusable|unavailable|read-only|public|final|locked)|goes (?:off|offline|live))',
)
/** What can be read once is used up by reading it. */
const USED_UP = find(
  '(?:(?:can|may|will|could) (?:only )?be (?:opened|read|redeemed|seen|shown|used|viewed) (?:only |exactly |just )?once|self-destructing|one-time (?:note|link|message|view|secret))',
)
/** Something happens to others because of the call. */
const CONSEQUENCES = find(
  '(?:nobody|no one) else (?:can|gets|may|will)|(?:is|are) (?:then |afterwards )?(?:gone|used up|spent|consumed|burned|burnt)|uses? up|carr(?:y|ies) (?:it |them |[\\p{L}-]+ )?out|(?:is|are|gets?|will be) (?:alerted|billed|credited|debited|informed|notified|paged|told|warned)|(?:leaves?|drops? out of|falls? out of) the (?:inbox|list|mailbox|queue|server|shelf|stock|table)',
)
const CONDITION = find('(?:after which|when|whether|if|that|which|where|who|until|unless|may|might|can|how|why)')

/** Verbs that mean a read only because of the words beside them. */
const READING: readonly RegExp[] = [
  find(`validates? (?:[^.;]{0,100}\\b(?:against|if|syntax|whether)|(?:${A} )?${WORDS}${CHECKED})`),
  find(
    `resolves? [^.;]{1,80}\\b(?:in)?to ${WORDS}(?:address|addresses|coordinates|email|entity|hostname|id|ids|identifier|identifiers|ip|name|names|path|record|url|urls|uuid)`,
  ),
]
/** "Previews the invoice without creating it": only returns something. */
const WITHOUT_DOING = find(
  '(?:check|preview|simulate|show|estimate|validate|explain|plan)s? [^.;]{1,120}\\bwithout \\p{L}+ing (?:it|them|anything|any of them)',
)

const LONGEST = 400

/** Phrases whose words mean something only together. `sentences`: the part that says what the tool does. */
export function readIdioms(sentences: readonly string[]): Sign[] {
  const opening = (sentences[0] ?? '').slice(0, LONGEST)
  const acted = firstOf(ACTING, opening)
  const ending = sentences
    .slice(0, 8)
    .map(endingIn)
    .find((found) => found !== undefined)
  const usedUp = sentences
    .slice(0, 8)
    .map((sentence) => USED_UP.exec(sentence.slice(0, LONGEST))?.[0] ?? consequenceIn(sentence))
    .find((found) => found !== undefined)
  const read = firstOf(READING, opening)
  return [
    ...[acted, ending, usedUp].flatMap((found) =>
      found === undefined ? [] : [{ ...sign('write', found, 2), forbids_read: 'unless_promised' } as const],
    ),
    ...(read === undefined ? [] : [{ ...sign('read', read, 4), firm: true } as const]),
    ...(WITHOUT_DOING.test(opening) ? [{ ...sign('read', 'without doing it', 2), firm: true } as const] : []),
  ]
}

function firstOf(patterns: readonly Pattern[], text: string): string | undefined {
  return patterns.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined)
}

function consequenceIn(sentence: string): string | undefined {
  const found = CONSEQUENCES.exec(sentence.slice(0, LONGEST))
  return found === null || CONDITION.test(sentence.slice(0, found.index)) ? undefined : found[0]
}

function endingIn(sentence: string): string | undefined {
  const found = ENDINGS.exec(sentence.slice(0, LONGEST))
  return found === null || CONDITION.test(sentence.slice(0, found.index)) ? undefined : found[0]
}

const sign = (effect: Sign['effect'], evidence: string, weight: number): Sign => ({
  effect,
  from: 'description',
  evidence: `"${evidence.slice(0, 60)}"`,
  weight,
})
