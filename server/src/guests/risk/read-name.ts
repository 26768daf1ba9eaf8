import {
  AUTHORITY_NOUNS,
  AUTHORITY_VERBS,
  CARRIER_VERBS,
  CHECKED_TEXTS,
  CODE_NOUNS,
  DATA_NOUNS,
  ABOUT_NOUNS,
  CARRYING_OUT,
  EGRESS_NOUNS,
  EGRESS_VERBS,
  NOUNISH,
  PLAIN_ACTIONS,
  READING_NOUNS,
  RESULT_NOUNS,
  SECRET_NOUNS,
  SHELL_NOUNS,
  VERBS,
  type VerbClass,
} from '../../kernel/text/lexicon.ts'
import type { Sign } from './sign.ts'
import { participleIn, splitWords } from '../../kernel/text/split-words.ts'

const WEIGHT: Readonly<Record<VerbClass, number>> = {
  read: 4,
  work_out: 3,
  derive: 3,
  soft_read: 1,
  write: 4,
  soft_write: 1,
  destructive: 5,
}

/**
 * What the words of a name mean. The verb is first (`create_issue`), last (`issue-create`) or after a prefix (`acme_get_issue`).
 */
export function readName(name: string): Sign[] {
  const words = splitWords(name)
  const head = headOf(words)
  const moved = viewMove(words)
  const signs = words.flatMap((word, at) => (moved.includes(word) ? [] : verbSigns(word, roleOf(words, at, head))))
  if (moved.length > 0) signs.push({ ...sign('read', `"${moved.join(' ')}" only moves the view`, 5), firm: true })
  const acts = signs.some((sign) => sign.effect === 'write')
  // `unshare_activity_reset`: a noun beside a read, but a verb beside an action.
  const destroyer = acts ? words.find((word) => destroys(word)) : undefined
  if (destroyer !== undefined) signs.push(sign('destructive', `"${destroyer}"`, 1))
  if (head === undefined && RESULT_NOUNS.has(words.at(-1) ?? ''))
    signs.push({ ...sign('read', `ends in "${words.at(-1)}"`, 2), ...(isData(words) ? FIRM : {}) })
  const meaning = phrasal(words, head)
  if (meaning !== undefined) signs.push({ ...sign('write', `"${meaning}"`, 3), forbids_read: 'unless_promised' })
  if (words[head ?? -1] === 'validate' && CHECKED_TEXTS.has(words.at(-1) ?? ''))
    signs.push({ ...sign('read', `"validate ${words.at(-1)}"`, 1), firm: true })
  if (runsAReading(words, head)) signs.push(sign('read', `"${words.slice(head).join(' ')}"`, 2))
  return [...signs, ...powerSigns(words, acts)]
}

/** `user_status` says what is read; `sync_inventory` may say what is done. */
const isData = (words: readonly string[]): boolean =>
  DATA_NOUNS.has(words.at(-1) ?? '') && !['destructive', 'write'].includes(VERBS.get(words[0] ?? '') ?? 'read')

/** The class of a name's main verb, also used for the values of an `action` parameter. */
export function verbClassOf(name: string): VerbClass | undefined {
  const words = splitWords(name)
  const head = headOf(words)
  return head === undefined ? undefined : VERBS.get(words[head] ?? '')
}

const isVerb = (word: string | undefined): boolean => word !== undefined && VERBS.has(word)
const isPlainVerb = (word: string | undefined): boolean =>
  word !== undefined && VERBS.has(word) && (!NOUNISH.has(word) || PLAIN_ACTIONS.has(word))

const destroys = (word: string | undefined): boolean => VERBS.get(word ?? '') === 'destructive'

function headOf(words: readonly string[]): number | undefined {
  const last = words.length - 1
  // `run_query`: the query may be anything.
  if (RUNS_CODE.has(words[0] ?? '') && ['queries', 'query'].includes(words[last] ?? '')) return 0
  // `clear_cache`, `session_kill`: a destructive word that can be the action is the action.
  if (isPlainVerb(words[0]) || destroys(words[0])) return 0
  if (destroys(words[last])) return last
  const inside = words.findIndex((word) => isPlainVerb(word))
  if (isVerb(words[0]) && inside === -1 && !RESULT_NOUNS.has(words[last] ?? '')) return 0
  if (isPlainVerb(words[last])) return last
  if (inside !== -1) return inside
  return isVerb(words[last]) ? last : undefined
}

/**
 * `action`: this word is the main verb. `joined`: an unambiguous verb, or one after "and" or "or", acts too (`find_and_replace`,
 * `get_or_create`). `maybe`: the last word, just as often a noun (`item_build`).
 */
const isAbout = (word = ''): boolean => ABOUT_NOUNS.has(word) || RESULT_NOUNS.has(word)

type Role = 'action' | 'joined' | 'maybe' | 'noun'

function roleOf(words: readonly string[], at: number, head: number | undefined): Role {
  const word = words[at]
  const joined = JOINS.has(words[at - 1] ?? '')
  if (at === head) return at > 0 && !joined && !isPlainVerb(word) ? 'maybe' : 'action'
  // `get_delete_protection`: reads something about the action.
  if (!joined && head === 0 && VERBS.get(words[0] ?? '') === 'read' && at < words.length - 1 && isAbout(words.at(-1)))
    return 'noun'
  return joined || (isVerb(word) && !NOUNISH.has(word ?? '')) ? 'joined' : 'noun'
}

function verbSigns(word: string, role: Role): Sign[] {
  const is = VERBS.get(word)
  if (is === undefined || role === 'noun') return []
  const says = `"${word}"`
  const weight = role === 'maybe' ? 1 : WEIGHT[is]
  if (is === 'read' || is === 'work_out' || is === 'derive' || is === 'soft_read')
    return role === 'joined' ? [] : [readSign(is, says, weight)]
  // "run", "process": a name with such a verb is not a read, unless the description promises it.
  if (is === 'soft_write')
    return [{ ...sign('write', says, weight), ...(role !== 'maybe' && CARRYING_OUT.has(word) ? BARS_UNLESS : {}) }]
  // A tool called `delete_…` is not a read, whatever its description promises.
  const signs: Sign[] = [{ ...sign('write', says, weight), ...(role === 'maybe' && is !== 'destructive' ? {} : BARS) }]
  if (is === 'destructive') signs.push(sign('destructive', says, weight))
  if (EGRESS_VERBS.has(word)) signs.push(sign('external', says, weight))
  if (AUTHORITY_VERBS.has(word)) signs.push(sign('privileged', says, weight))
  return signs
}

const FIRM = { firm: true } as const
const BARS = { forbids_read: 'always' } as const
const BARS_UNLESS = { forbids_read: 'unless_promised' } as const

function readSign(is: VerbClass, says: string, weight: number): Sign {
  const plain = sign('read', says, weight)
  if (weight === 1) return plain
  return is === 'read' ? { ...plain, firm: true } : is === 'soft_read' ? plain : { ...plain, derives: true }
}

const JOINS = new Set(['and', 'or', 'then', 'plus'])

/** Reading verbs that mean something else together with the next word: to check in, to get rid of. */
const PHRASAL: Readonly<Record<string, readonly string[]>> = {
  check: ['in', 'out', 'off'],
  count: ['down', 'off'],
  display: ['ad', 'banner', 'dialog', 'modal', 'notification', 'popup', 'toast'],
  get: ['rid', 'off', 'out', 'ready'],
  look: ['after'],
  measure: ['out'],
  read: ['aloud', 'out'],
  show: ['ad', 'banner', 'dialog', 'door', 'modal', 'notification', 'off', 'popup', 'toast'],
  wait: ['list'],
}

const TELLS = new Set(
  'answer describe explain present read recommend report show suggest summarise summarize'.split(' '),
)
const TEXT_FORMS = new Set('english html json length markdown sql text words'.split(' '))

/** Such a verb, or an unknown one joined to the first by "and": `get_and_yeet_user`. */
function phrasal(words: readonly string[], head: number | undefined): string | undefined {
  if (head === undefined) return undefined
  const [verb = '', next = '', after = ''] = words.slice(head)
  if (PHRASAL[verb]?.includes(next) === true) return `${verb} ${next}`
  // `get_paid`; `get_deleted_users` reads.
  if (verb === 'get' && after === '' && participleIn(next) !== undefined) return `${verb} ${next}`
  // `summarize_to_channel`, `describe_image_to_team`: what is read is passed on.
  const to = words.indexOf('to', head)
  if (TELLS.has(verb) && to !== -1 && to < words.length - 1 && !TEXT_FORMS.has(words[to + 1] ?? ''))
    return `${verb} to ${words[to + 1]}`
  return JOINS.has(next) && after !== '' && VERBS.get(after) !== 'read' ? `${verb} ${next} ${after}` : undefined
}

/** Moving to another page or tab, or changing the viewpoint, has no lasting effect. */
const VIEW_MOVES: readonly (readonly [verbs: readonly string[], what: readonly string[]])[] = [
  [
    ['go', 'navigate'],
    ['back', 'forward'],
  ],
  [
    ['focus', 'resize', 'scroll', 'zoom'],
    ['browser', 'page', 'screen', 'tab', 'view', 'viewport', 'window'],
  ],
  [
    ['new', 'select', 'switch'],
    ['page', 'tab', 'window'],
  ],
  [
    ['screenshot', 'snapshot'],
    ['browser', 'page', 'screen', 'tab', 'window'],
  ],
  [['hover'], ['hover']],
]

function viewMove(words: readonly string[]): string[] {
  const move = VIEW_MOVES.find((sides) => sides.every((side) => side.some((word) => words.includes(word))))
  return move === undefined ? [] : words.filter((word) => move.some((side) => side.includes(word)))
}

function runsAReading(words: readonly string[], head: number | undefined): boolean {
  return (
    head !== undefined &&
    CARRIER_VERBS.has(words[head] ?? '') &&
    words.slice(head).some((word) => READING_NOUNS.has(word))
  )
}

const RUNS_CODE = new Set(['eval', 'evaluate', 'exec', 'execute', 'invoke', 'run'])
/** Listing secrets shows only their names; these verbs reveal their values. */
const REVEALS = new Set(['export', 'fetch', 'get', 'read', 'retrieve', 'reveal', 'show', 'view'])

function powerSigns(words: readonly string[], acts: boolean): Sign[] {
  const signs: Sign[] = []
  const first = (set: ReadonlySet<string>): string | undefined => words.find((word) => set.has(word))
  const reached = first(EGRESS_NOUNS)
  if (acts && reached !== undefined) signs.push(sign('external', `"${reached}"`, 2))
  const authority = first(AUTHORITY_NOUNS)
  if (acts && authority !== undefined) signs.push(sign('privileged', `"${authority}"`, 2))
  const shell = first(SHELL_NOUNS)
  if (acts && shell !== undefined) signs.push(sign('privileged', `"${shell}"`, 2))
  const code = first(CODE_NOUNS)
  if (code !== undefined && words.some((word) => RUNS_CODE.has(word)))
    signs.push({ ...sign('write', `runs "${code}"`, 3), forbids_read: 'unless_promised' })
  const last = words.findLast((word) => !destroys(word)) ?? ''
  if (!acts && SECRET_NOUNS.has(last) && words.some((word) => REVEALS.has(word)))
    signs.push({ ...sign('privileged', `returns "${last}"`, 2), of_a_read: true })
  return signs
}

const sign = (effect: Sign['effect'], evidence: string, weight: number): Sign => ({
  effect,
  from: 'name',
  evidence,
  weight,
})
