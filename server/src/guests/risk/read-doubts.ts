import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import { ABOUT_NOUNS, RESULT_NOUNS, VERBS, type VerbClass } from '../../kernel/text/lexicon.ts'
import { idWithContent, unselected } from './read-selection.ts'
import type { Sign } from './sign.ts'
import { participleIn, splitWords, verbIn } from '../../kernel/text/split-words.ts'

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * Reading verbs also begin the names of actions: to get a ride, to check a box, to list a house. A read only selects
 * what it returns. Signs against a read are an argument with new content, an object that exists only after somebody
 * asks for it, and a name that is the noun of an action. Each rules out a read, unless the description promises one.
 */
export function readDoubts({ name, description, inputSchema }: ToolDefinition): Sign[] {
  const words = splitWords(name)
  const sentences = (description ?? '').slice(0, 4_000).split(/(?<=[.!?;])\s+/)
  const opening = (sentences[0] ?? '').slice(0, 400).toLowerCase()
  return [
    ...carriedIn(words, opening, inputSchema),
    ...found('name', mintedName(words, opening) ?? actionName(words) ?? idiomIn(words)),
    ...found('schema', isSearch(words) ? undefined : idWithContent(inputSchema)),
    ...found('description', minted(opening) ?? idiom(opening)),
    ...unnamed(unselected(opening, inputSchema)),
    ...found('description', sentences.slice(0, 12).map(sequel).find(isFound)),
  ]
}

const isSearch = (words: readonly string[]): boolean => words.some((word) => word === 'search' || word === 'query')

const isFound = (text: string | undefined): text is string => text !== undefined

const found = (from: Sign['from'], evidence: string | undefined): Sign[] =>
  evidence === undefined
    ? []
    : [
        {
          effect: 'write',
          from,
          evidence: `"${evidence.trim().slice(0, 60)}"`,
          weight: 0,
          forbids_read: 'unless_promised',
        },
      ]

const unnamed = (object: string | undefined): Sign[] =>
  found('description', object).map((sign) => ({ ...sign, evidence: `${sign.evidence}: no parameter says which` }))

/** Verbs that fetch what is there. Verbs that compute ("detect", "compare") take their material as an argument. */
const FETCHING = list(
  'browse check fetch find get inspect list locate lookup observe query read retrieve show view wait',
)
/** What a computation or an offer depends on: `get_quote` takes an amount, `check_grammar` a text. */
const DEPENDS = list(`
  analysis answer availability breakdown completion completions cost costs definition directions embedding embeddings estimate estimates
  fee fees forecast gas grammar impact info information instructions length matches meaning offer offers odds plagiarism prediction price prices pricing probability quote
  quotes rate rates recommendations risk route routes score sentiment similar spelling style suggestions synonyms tax taxes timing
  tokens tone toxicity translation value
`)
/** Arguments that say something, pay something or set something. A filter says the same with `min_`, `max_` or `query`. */
const CARRIED = list(`
  amount brightness caption cash comment comments cvv deposit donation dosage dose draft feedback fee_paid greeting items_to_add letter
  line_items memo message message_text msg note notes otp passcode payload payment_method pin_code
  price qty quantity rating reaction reading reason reply review shipping_address signature stake stars temperature tip traits
  verification_code vitals vote
`)
const SETTINGS = list('new_value old_value value')
const TEXTS = list('content html markdown speech text words')

function carriedIn(words: readonly string[], opening: string, schema: JsonObject): Sign[] {
  const verb = words.find((word) => VERBS.has(word))
  if (verb === undefined || !FETCHING.has(verb)) return []
  // "Calculate the area", "Find hotels based on …": the arguments are material, or conditions.
  if (
    /^\W{0,8}(?:analy|calculat|comput|convert|detect|determin|estimat|predict)|\b(?:based on|given|match(?:es|ing)?|within)\b/u.test(
      opening,
    )
  )
    return []
  if (words.some((word) => DEPENDS.has(word)) || (opening.match(/\p{L}+/gu) ?? []).some((word) => DEPENDS.has(word)))
    return []
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const carried = Object.keys(properties)
    .sort()
    .find((key) => {
      const param = splitWords(key).join('_')
      if (SETTINGS.has(param)) return !SEARCHING.has(verb)
      if (isChoice(properties[key])) return false
      return CARRIED.has(param) || (TEXTS.has(param) && !SEARCHING.has(verb))
    })
  return carried === undefined ? [] : found('schema', `takes ${carried}`)
}
/** A flag or a choice selects; it carries nothing in. */
const isChoice = (param: Json | undefined): boolean =>
  isJsonObject(param) && (param['type'] === 'boolean' || param['enum'] !== undefined)
const SEARCHING = list('check find locate lookup query wait')

/** Things that are issued to whoever gets them. */
const ISSUED = list(
  'code codes coupon credential credentials invite key keys link links pass passcode pin pins qr ticket tickets token tokens url urls voucher',
)
/** A credential or a link with one of these did not exist before, or ends soon. */
const EPHEMERAL = list('ephemeral fresh magic new onetime otp pairing presigned reset sas signed temporary upload')
/** There may be one already: "the invite link of a group". */
const HANDED_OUT = list(`
  access authorization checkout download guest invitation invite join payment public recovery referral session share shareable shared sharing sign
  signin signup verification
`)
/** What comes next on a calendar; the next one of anything else is taken by whoever gets it. */
const SCHEDULED = list(`
  airing appointment arrival arrivals available bill birthday bus buses charge day days deadline departure departures due eclipse election
  episode event events fixture fixtures flight full game games hearing hour hours holiday holidays launch launches lesson match matches meeting
  meetings milestone month month's occurrence occurrences page pages pass payday payment payout prayer race race's release renewal run runs season section
  shift show sprint step steps stop stops sunrise sunset term tide tides time train trains trip update week weeks year
`)

function mintedName(words: readonly string[], opening: string): string | undefined {
  const at = words.findIndex((word) => FETCHING.has(word))
  if (at === -1) return undefined
  const rest = words.slice(at + 1)
  const last = rest.at(-1) ?? ''
  if (ISSUED.has(last) && isIssued(rest.slice(0, -1), opening)) return words.slice(at).join(' ')
  const [first = '', second = ''] = rest
  if ((first === 'new' || first === 'fresh' || first === 'another') && !second.endsWith('s'))
    return `${words[at]} ${first}`
  return first === 'next' && second !== '' && !SCHEDULED.has(second) && !rest.some((word) => RESULT_NOUNS.has(word))
    ? `${words[at]} next`
    : undefined
}

const isIssued = (words: readonly string[], opening: string): boolean =>
  words.some(
    (word) => EPHEMERAL.has(word) || (HANDED_OUT.has(word) && !/^\W{0,8}\p{L}+ (?:all|the|this) /u.test(opening)),
  )

function minted(opening: string): string | undefined {
  const issued =
    /^\W{0,8}(?:get|fetch|retrieve|obtain|return|provide|give|request)(?:s|es)? (?:an? |the |your )?((?:[\p{L}-]+ ){1,3}?)(\p{L}+)(?= (?:that|to|for|with|so|which|anybody|anyone|people|valid)\b|[.,;]|$)/u.exec(
      opening,
    )
  const before = (issued?.[1] ?? '').trim().split(/[ -]/)
  if (issued !== null && ISSUED.has(issued[2] ?? '') && isIssued(before, opening)) return issued[0]
  const next =
    /^\W{0,8}(?:get|fetch|retrieve|return|read|find|give|provide)(?:s|es)? (?:me |you |us )?(?:the |a |your |one )?next (?:available |free |open |pending |waiting )?(\p{L}+)/u.exec(
      opening,
    )
  return next !== null && !SCHEDULED.has(next[1] ?? '') ? next[0] : undefined
}

/** A name without a verb that is the noun of an action: `table_reservation`, `card_activation`. */
const ACTIONS = list(`
  activation assignment authorisation authorization booking cancellation confirmation creation deactivation deletion delivery deployment disbursement
  donation enrollment enrolment escalation installation invitation payment payout provisioning publication purchase redemption refund
  registration removal renewal reservation restart rollback shutdown submission subscription synchronisation synchronization termination
  transfer upgrade withdrawal
`)

function actionName(words: readonly string[]): string | undefined {
  const last = words.at(-1) ?? ''
  return ACTIONS.has(last) && !words.some((word) => VERBS.get(word) === 'read') ? last : undefined
}

/** Verbs that are not in the lexicon of descriptions because they are rare there, as the first word of a name. */
const FIRST_WORDS = list(`
  abandon absorb accelerate acquire admit advance advertise aim align amplify apologise apologize appeal appoint arm arrange arrest
  ascend attend auction award bake bargain beam beep begin bet blink blow boil boost boot borrow bounce brake brew bribe
  brighten bring bump burn bury buzz calibrate carry cast catch cede celebrate chase chop circulate cite claim clamp cook cool crop
  cross crush cure cut dash defer deliver demolish depart depose deposit dequeue derail descend detain dial dig dilute dim dip
  disarm discharge disclose disinfect dismantle dispose disrupt dissolve distribute divert douse drain draw dress drill drown dry
  dump dye elect elevate emit employ empower encourage endorse engage engrave enlist enter entitle erect evacuate exchange excuse
  exercise exhale exit expand expel extend extinguish fail feed flash flip float flood fly fold forfeit forgive freeze fry fuel fuse
  glue grab grade graft greet grill grind grow halt hammer hang harvest haul heal heat hedge hire hit hoist honk hurry ignite
  immunise immunize impose imprison incinerate incorporate increase inflate inflict inhale inherit inoculate instruct insulate
  insure invade invest irrigate jam jettison jump keep kick knock lay lend lengthen lift liquidate litigate lower lubricate
  manufacture marry melt mend mix mobilise mobilize mow nominate nudge nurse obey offload offset oust outsource overrule overturn
  pack paint pave peel penalise penalize persuade pick pitch plow poke polish pop pour preheat prescribe prolong punish quell quench
  quit raise ram reap rebook recharge recruit recycle redirect refer refill reimburse reinstate relay relinquish relocate remit rent
  repair repay repeal repel rephrase rescind rescue resign restock retire retract reward ride rinse rip roast rob roll rub ruin sack
  sacrifice salute sanction scatter scold scrap scrub secure seize serve settle sew shake sharpen shave shine shoot shorten shout
  shove shuffle shut sing sink sip skip slam slap slice slide slow smash smoke snap sneeze soak solder sow spank spend spill spin
  splash spray spread squash squeeze steer sterilise sterilize stir stitch stretch strike strip stuff subsidise subsidize suck sue
  surrender swallow swear sweep swing take tame tear tell thaw throttle throw tick tie tighten tip topple toss tow treat triage trim
  tuck unload unplug unseal untie urge usher vacate vaccinate vend veto vibrate violate waive wake walk warn wash waste water weaken
  weigh weld whip whisper whistle widen withhold wrap wreck yank yield
`)

const isFirstWord = (word: string): boolean => FIRST_WORDS.has(word) && !VERBS.has(word)

/** Phrases whose words act together: `get_rid_of`, `find_me_a_table`, `view_as_user`, `check_box`. */
function idiomIn(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words
  const last = words.at(-1) ?? ''
  if (
    words.length > 1 &&
    isFirstWord(first) &&
    !words.some((word) => FETCHING.has(word)) &&
    !RESULT_NOUNS.has(last) &&
    !ABOUT_NOUNS.has(last)
  )
    return first
  const at = words.findIndex((word) => FETCHING.has(word))
  const [verb = '', object = ''] = at === -1 ? [] : words.slice(at)
  if (SERVED.has(object) && words.length > at + 2) return `${verb} ${object}`
  if (ACTS_ON[verb]?.has(object) === true && object === last) return `${verb} ${object}`
  if (verb !== '' && words.includes('place') && words.includes('in')) return 'in place'
  // `get_quote_accepted`, `get_contract_signed`: somebody has it done. `get_items_deleted` reads.
  const participle = words.length > at + 2 && verb === 'get' ? participleIn(last) : undefined
  const before = words.at(-2) ?? ''
  if (participle !== undefined && ['destructive', 'write'].includes(participle.is) && !before.endsWith('s'))
    return `${verb} … ${last}`
  return second === 'as' && (first === 'view' || first === 'browse') ? `${first} as` : undefined
}
const SERVED = list('going help him it me over them through us')
const ACTS_ON: Readonly<Record<string, ReadonlySet<string>>> = {
  browse: list('to'),
  check: list('bag baggage bags box boxes checkbox coat luggage mark task todo'),
  find: list('buyer courier driver home sitter substitute tenant'),
  get: list('appointment cab delivery drink food groceries lift ride taxi'),
  read: list('all receipt receipts'),
  search: list('warrant'),
  show: list('appreciation gratitude interest love respect slide support sympathy'),
  view: list('ad ads'),
}

const IDIOMS: readonly RegExp[] = [
  /^\W{0,8}(?:fetch|get|retrieve)(?:s|es)? [^.;]{1,40}\bout of (?:a|the|their|your)\b/u,
  /(?:\b(?:and|then)|, which) (?!(?:aggregat|analy[sz]|categori[sz]|check|classifi|compar|convert|count|decod|describ|display|explain|extract|filter|format|get|group|identifi|includ|inspect|list|order|pars|present|print|provid|rank|read|render|retriev|return|scor|show|sort|summari[sz]|translat|us|visuali[sz])\p{L}*)\p{L}{2,}s (?:each of them|it|one of them|them|the (?:best|first|last|oldest|others|rest|top|worst))\b/u,
  /^\W{0,8}(?:convert|exchange|transform|turn)s? (?:an?|her|his|the|their|your) (?:[\p{L}-]+ )?(?:account|balance|booking|deal|draft|holding|lead|loan|miles|opportunity|order|points|position|quote|reservation|shares|subscription|trial|wallet)\b/u,
  /^\W{0,8}(?:download|fetch|get|load|pull|read|retrieve)(?:s|es)? [^.;]{1,100}(?<!insights?) into (?!(?:an? |the |one |your )?(?:[\p{L}-]+ )?(?:array|bytes|celsius|chunks|context|dataframe|english|html|json|lines|list|markdown|object|pages|response|sections|string|structured|summary|text|view)\b)/u,
  /^\W{0,8}(?:play|drive|operate|control|act)s? (?:an?|the|your)\b/u,
  /^\W{0,8}(?:describe|explain|present|recommend|show|suggest|summari[sz]e)s? [^.;]{1,60}\bfor (?:everybody|everyone|all (?:members|users|customers)|the (?:team|channel|customer|group))\b/u,
  /\bfrom now on\b/u,
  /\bby \p{L}{3,}ing (?:her|his|its|their)\b/u,
  /^\W{0,8}checks? with\b/u,
  /^\W{0,8}(?:query|queries|quiz|tail)s? (?:an?|our|the|your) (?:[\p{L}-]+ )?(?:colleague|customer|manager|member|owner|team|user)\b(?!['’])/u,
  /^\W{0,8}(?:count|get)s? (?:her|him|me|them|us|you) (?:in|off|on|out)\b/u,
  /^\W{0,8}checks? (?:an?|her|his|one|the|their|this|your) [\p{L}'-]+ (?:into|off|out|through)\b/u,
  /^\W{0,8}gets? (?:approval|access|clearance|control|permission) (?:for|from|of|over|to)\b/u,
  /^\W{0,8}gets? \p{L}{3,}(?<!fe|se|spe|embe|see|nee)ed\b(?= (?:at|by|for|in|with)\b|[.,;]|$)/u,
  /^\W{0,8}(?:the |a )?(?:machine|robot|rover|drone|arm|vehicle|crane|printer)\b [^.;]{0,40}\p{L}+s (?:an?|the)\b/u,
  /\bin[- ]place\b/u,
  /^\W{0,8}browses? to\b/u,
  /^\W{0,8}(?:check|tick)s? (?:an?|the|one|this) (?:[\p{L}-]+ )?(?:bag|box|checkbox|task|to-?do)\b/u,
  // "List a property"; "List a user's repositories" and "List a folder" read.
  /^\W{0,8}lists? (?:an?|your|this) (?!.*(?:'s|’s|s'| of | in | by )\b)(?!\p{L}*(?:archive|bucket|collection|database|dir|directory|drive|folder|library|page|range|repository|selection|series|set|subset|table)\b)[\p{L}-]+(?: (?:as|at|for|on|with)\b|[.,;]|$)/u,
  /^\W{0,8}finds? (?:an?|the|some) (?:[\p{L}-]+ )?(?:buyer|courier|driver|home|replacement|sitter|substitute|tenant|volunteer) (?:for|to|who)\b/u,
  /^\W{0,8}(?:get|have)s? [\p{L} -]{1,40} (?:delivered|fixed|cleaned|repaired|installed|removed|shipped|picked up|collected|signed|approved|printed) (?:to|at|from|for|by|before|today|tomorrow|within)\b/u,
  /^\W{0,8}shows? (?:[\p{L}'-]+ ){0,2}(?:appreciation|gratitude|interest|love|respect|support|sympathy) (?:for|in|to)\b/u,
  /^\W{0,8}(?:browse|view)s? [^.;]{1,60}\bas (?:an?|another|the) (?:[\p{L}-]+ )?(?:customer|member|person|user)\b/u,
  /^\W{0,8}(?:fetch|get|retrieve)(?:es|s)? [^.;]{1,60}\bfrom (?:an?|the) (?:[\p{L}-]+ )?(?:bin|cellar|closet|drawer|fridge|garage|locker|rack|shelf|tray)\b/u,
]
const idiom = (opening: string): string | undefined =>
  joined(opening) ?? IDIOMS.map((pattern) => pattern.exec(opening)?.[0]).find(isFound)

/** "Lint and fix", "Enumerate and certify votes". */
function joined(opening: string): string | undefined {
  const [all, first = '', second = ''] = /^\W{0,8}(\p{L}+) (?:and|or|then) (\p{L}{3,})/u.exec(opening) ?? []
  const reads = (word: string): boolean =>
    READING.has(verbIn(word)?.is ?? 'write') || /^(?:categori|clean|group|order|return)/.test(word)
  return all !== undefined && verbIn(first) !== undefined && reads(first) && !reads(second) ? all : undefined
}
const READING: ReadonlySet<VerbClass> = new Set<VerbClass>(['derive', 'read', 'soft_read', 'work_out'])

/** What happens afterwards: "It is then marked as seen", "… and the seat is kept for ten minutes in the process". */
const SEQUELS: readonly RegExp[] = [
  /(?:^|[.;:,] )(?:\p{L}{3,}ing|this|doing so|each (?:call|read|view|request)) (?:also |automatically )?(?!returns?|shows?|gives?|lists?|needs?|requires?|includes?|takes?|works?|is\b|has\b|uses?|supports?|contains?|allows?|helps?|does\b|provides?|means?|covers?|checks?|tool|function|endpoint|costs?)\p{L}{3,}s (?:an?|it|one|the|them|your)\b/iu,
  /\b(?!caller|client|response|result|tool|agent|model|user|assistant)\p{L}+ (?:sees|see|hears|hear|learns|learn|knows|loses|lose|pays|pay|earns|earn) (?:that|it|about|of) (?:you|this|somebody|someone|the (?:call|visit|view))\b/iu,
  /(?<!before )\b(?:they|these|it) (?:go|goes) (?:out|live|to)\b|\bcounts? (?:against|as|towards?)\b/iu,
  /\b(?:it|they|this|which|one|ones|message|messages|mail|item|items|entry|entries|record|records|the \p{L}+) (?:is|are|gets?|will be) (?:then |afterwards |automatically |immediately |also )(?!available|returned|shown|listed|sorted|filtered|cached|displayed|ready|given|included|ranked|used|visible|empty|null|not|in\b|on\b|an?\b|the\b)\p{L}+(?:ed|en|nt|ut|wn)\b/iu,
  /\b(?:is|are|gets?) (?!returned|shown|listed|sorted)\p{L}+(?:ed|en|nt) (?:afterwards|as a result|in the process|on the way|thereby|by this|by the call|by reading|by viewing|on read(?:ing)?|when (?:it is )?(?:read|opened|viewed|seen|fetched))\b/iu,
  /^(?!.*\b(?:default|how|if|omitted|otherwise|that|unless|what|when|where|whether|which|why)\b).*\b(?:is|are|gets?) (?:charged|closed|counted|deducted|held|issued|kept|noted|opened|remembered|seen|started|taken|used)(?=[.;]?$)/iu,
  /\b(?:as a side effect|along the way|in passing)\b/iu,
]
const sequel = (sentence: string): string | undefined =>
  SEQUELS.map((pattern) => pattern.exec(sentence.slice(0, 400))?.[0]).find(isFound)
