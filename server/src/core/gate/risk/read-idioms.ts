import { CHECKED_TEXTS } from './lexicon.ts'
import type { Sign } from './sign.ts'

const oneOf = (text: string): string => `(?:${text.trim().split(/\s+/).join('|')})`

const A = '(?:an?|the|this|your|our|all|every|each|some|its|their)'
/** People other than the user of the agent. */
const PEOPLE = oneOf(`
  approver approvers attendees audience author authors candidate candidates client clients colleague colleagues crowd customer customers
  driver employee employees everybody everyone expert experts friend friends guest guests human manager managers member members moderators
  neighbours owner owners participants passenger passengers patient patients people person public readers recipient recipients reviewer
  reviewers staff subscriber subscribers supervisor supplier suppliers team teams tenant tenants vendor vendors viewers visitors
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
  account basket branch bucket calendar cart catalog catalogue cluster collection crm database dataset directory environment file folder
  inbox index production project queue registry repo repository sheet spreadsheet staging store table tree warehouse workspace
`)
/** Actions that somebody else is asked to do. */
const ASKED_FOR = oneOf(`
  access appointment approval authorisation authorization callback cancellation change changes collection consent delivery demo deposit
  leave loan payment payout permission pickup quote refund removal reset restart return ride service signature transfer upgrade visit
  withdrawal
`)
const CHECKED = oneOf([...CHECKED_TEXTS].join(' '))
const WORDS = "(?:[\\p{L}\\p{N}'’-]+ ){0,3}"
const find = (text: string): RegExp => new RegExp(`\\b${text}\\b`, 'iu')
/** The verb of a clause: at the start of the sentence, or joined to another. */
const act = (text: string): RegExp => find(`(?:(?<=^\\W*)|(?:and|or|then|to|will|tool|,|:) )${text}`)

/** Reading verbs that act because of the words beside them. Only the sentence that says what the tool does is checked. */
const ACTING: readonly RegExp[] = [
  // "Shows a banner to all visitors", "Recommends a colleague to the hiring team"; "sent to customers" only describes.
  act(
    `(?:show|display|present|explain|describe|recommend|suggest|read)s? ${WORDS}(?:[\\p{L}\\p{N}-]+(?<!ed|able|ible|sent|access|related|due|given|relevant|similar) )to (?:${A} )?${WORDS}${PEOPLE}`,
  ),
  act(`(?:show|display)s? ${A} ${WORDS}(?:${NOTICES}|on ${A} ${WORDS}${SURFACES})`),
  act(`(?:get|obtain|retrieve|fetch|find)(?:s|es)? an? (?:(?:new|fresh|another) )${WORDS}${ISSUED}`),
  act(`gets? an? ${WORDS}${PLACES} [^.;]{0,40}\\bfor (?:an?|the|you|your|him|her|them)`),
  act(`gets? ${A} ${WORDS}(?:ready|started|going|running|moving|done)`),
  act(`gets? ${A} [\\p{L}-]+ (?:signed|approved|paid|booked|delivered|fixed)`),
  act(`gets? (?:the )?(?:approval|consent|permission|a signature) (?:from|of|for|by)`),
  // "List an item for sale"; "lists items for sale" reads.
  act(`lists? (?:an?|your|this) ${WORDS}(?:for (?:sale|rent|auction|hire|lease)|on ${A} ${WORDS}market(?:place)?)`),
  act(
    `(?:load|read|fetch|pull|get|retrieve|collect|gather|download|scan)(?:s|es)? [^.;]{1,100}\\binto (?:${A} )?${WORDS}${STORES}`,
  ),
  /\b(?:[Ll]oad|[Rr]ead|[Ff]etch|[Pp]ull|[Dd]ownload)(?:s|es)? [^.;]{1,100}\binto (?!Markdown|English|Python|Celsius)[A-Z][a-z]/u,
  act(`(?:ask|prompt)s? (?:${A} )?${WORDS}(?:${PEOPLE}|user|users)`),
  act(`requests? (?:(?:an?|the|your) )?${WORDS}${ASKED_FOR}`),
  act(`reads? [^.;]{1,60}\\b(?:aloud|out loud|over the (?:speakers?|phone|intercom))`),
  act('(?:measure|count)s? out'),
  // Whoever has a lock keeps others out.
  act(`(?:get|obtain|take|retrieve|fetch)(?:s|es)? an? ${WORDS}(?:lock|lease|mutex|semaphore) (?:on|for|of)`),
  act(
    `(?:get|retrieve|collect|fetch|pull)(?:s|es)? (?:the )?${WORDS}(?:cash|deposit|funds|money) [^.;]{0,60}\\bfrom [^.;]{1,60}\\bto`,
  ),
  // What is run may do anything, unless it is said to read only.
  act(`(?:run|execute)s? (?:(?:an?|the|any|your) )?(?:graphql )?(?:document|mutation|operation)`),
  act('(?:run|execute)s? explain analyze'),
]

/** Something ends as a consequence: "the old key stops working". */
const ENDINGS = find(
  '(?:stops (?:working|being)|disappears|vanishes|self-destructs|no longer (?:works?|valid|usable|accessible)|becomes? (?:invalid|unusable|unavailable|read-only|public|final|locked)|goes (?:off|offline|live))',
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
  const acting = ACTING.map((pattern) => pattern.exec(opening)?.[0]).find((found) => found !== undefined)
  const ending = sentences
    .slice(0, 8)
    .map(endingIn)
    .find((found) => found !== undefined)
  const reading = READING.map((pattern) => pattern.exec(opening)?.[0]).find((found) => found !== undefined)
  return [
    ...[acting, ending].flatMap((found) =>
      found === undefined ? [] : [{ ...sign('write', found, 2), forbids_read: 'unless_promised' } as const],
    ),
    ...(reading === undefined ? [] : [{ ...sign('read', reading, 4), firm: true } as const]),
    ...(WITHOUT_DOING.test(opening) ? [{ ...sign('read', 'without doing it', 2), firm: true } as const] : []),
  ]
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
