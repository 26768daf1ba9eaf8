const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words in a field name that mean "recipient". */
export const RECIPIENT = list(`
  to cc bcc recipient recipients receiver receivers addressee addressees attendee attendees invitee invitees guest guests
  participant participants destination destinations channel channels chat chats room rooms conversation conversations
  mailto beneficiary beneficiaries payee payees subscriber subscribers reply email emails mail phone phones mobile
  telephone tel msisdn iban account accounts follower followers member members audience topic webhook forward
`)
export const COPY = list('cc')
export const BLIND_COPY = list('bcc')
/** Words that give a field another meaning, whatever else its name contains: `to_date`, `account_type`, `reply_text`. */
export const NOT_A_RECIPIENT = list(`
  date time timestamp type kind format count limit offset size text body subject message content html title description
  status state enabled flag settings options template language timezone currency amount mode sort order
`)
export const PAYEE = list(
  'payee payees beneficiary beneficiaries recipient recipients to receiver merchant supplier vendor',
)
export const ACCOUNT = list('iban account accounts bic swift routing wallet card')
export const AMOUNT = list('amount amounts sum total price value payment fee tip deposit budget salary refund')
/** `price_type`, `amount_currency`: about an amount. */
export const NOT_AN_AMOUNT = list('currency type kind format mode unit status state date day')
/** Names of fields below a recipient that say what their value is. */
export const PERSON = list(`
  address addresses first last given family middle display full nick user username person contact company employee value
  primary default street city country zip postal code domain
`)
export const CURRENCY = list('currency')
export const SMALL_UNIT = list('cent cents minor pence satoshi satoshis sats wei lamports smallest')
export const ATTACHMENT = list('attachment attachments attach attached')
export const QUERY = list('query q search term terms keyword keywords question prompt pattern regex glob')
export const NOT_A_QUERY = list('exclude excluded ignore ignored')
export const COMMAND = list('command cmd commands script shell bash argv code statement sql expression program')
export const HOST = list('host hostname server machine instance target node')
export const PLACE = list(`
  repo repository project bucket database db table folder directory workspace namespace cluster container calendar board
  list owner org organization organisation account mailbox collection index schema dataset vault team environment env region
`)
export const NAME = list('name title subject label summary key slug')
export const ID = list('id ids uuid uid identifier number ref reference sha handle')

export const SENDS = list(`
  send email mail message notify invite share text sms forward reply dm ping remind page fax post publish tweet toot broadcast
  announce comment submit call dial
`)
export const PAYS = list(
  'pay transfer wire charge refund purchase buy donate disburse payout withdraw payment deposit order invoice',
)
export const DELETES = list(`
  delete remove drop purge erase trash destroy unlink wipe truncate clear empty prune discard uninstall revoke terminate kill
`)
export const RUNS = list('run exec execute shell command script eval evaluate bash terminal invoke query')
export const WRITES = list(
  'write save create edit patch append overwrite put upload replace update modify move rename copy',
)
export const CREATES = list('create add new insert open register make mkdir book schedule')
/** First words of the names of tools that only look. */
export const READS = list('get list read search find fetch show view count check download lookup query describe export')
export const SEARCHES = list('search find grep glob lookup query')
export const LISTS = list('list ls tree browse dir')
export const DETAILS = list('info stat stats metadata details exists size')
export const MOVES = list('move rename')
export const COPIES = list('copy duplicate')

/** What is sent, by a word in the tool's name. The printed words are ours. */
export const SENT_THINGS: readonly (readonly [ReadonlySet<string>, string])[] = [
  [list('email emails mail mails gmail smtp'), 'an e-mail'],
  [list('sms'), 'a text message'],
  [list('invite invitation invitations meeting event calendar'), 'an invitation'],
  [list('tweet toot'), 'a post'],
  [list('comment comments'), 'a comment'],
  [list('reply'), 'a reply'],
  [list('message messages dm chat slack post notify notification'), 'a message'],
  [list('file files document share'), 'a file'],
]

/** What a tool acts on, by a word in its name. */
const NOUNS = list(`
  file folder directory message email mail branch tag commit repository issue comment user account contact customer supplier
  deal ticket task event calendar record row table database document page note invoice order payment product project team
  member role key secret token bucket object instance server container image volume cluster service job workflow pipeline
  release webhook subscription channel label list board card item entry attachment draft rule alert dashboard report request
`)

/** Nouns for what a path can lead to. Any other noun is something in the file or beside it: `remove_tags` with a path. */
const IN_FILES = list('file folder directory document page note image attachment object report draft')
export const isInFiles = (noun: string | undefined): boolean => noun === undefined || IN_FILES.has(noun)

/** What follows is where or how, not what: `add_member_to_team` adds a member. */
const PREPOSITIONS = list('to in into from of for on by with at via as')

/** The noun in a name, in the singular. */
export function nounIn(words: readonly string[]): string | undefined {
  const end = words.findIndex((word, at) => at > 0 && PREPOSITIONS.has(word))
  return (end === -1 ? undefined : lastNoun(words.slice(0, end))) ?? lastNoun(words)
}

export const articled = (noun: string): string => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`

function lastNoun(words: readonly string[]): string | undefined {
  for (const word of words.toReversed()) {
    const singular = NOUNS.has(word)
      ? word
      : word
          .replace(/ies$/, 'y')
          .replace(/([sxz]|[sc]h)es$/, '$1')
          .replace(/s$/, '')
    if (NOUNS.has(singular)) return singular
  }
  return undefined
}

export const hasAny = (words: readonly string[], among: ReadonlySet<string>): boolean =>
  words.some((word) => among.has(word))
