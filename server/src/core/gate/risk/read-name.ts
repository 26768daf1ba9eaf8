import {
  AUTHORITY_NOUNS,
  AUTHORITY_VERBS,
  CARRIER_VERBS,
  CODE_NOUNS,
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
} from './lexicon.ts'
import type { Sign } from './sign.ts'
import { splitWords } from './split-words.ts'

const WEIGHT: Readonly<Record<VerbClass, number>> = { read: 4, soft_read: 1, write: 4, soft_write: 1, destructive: 5 }

/** What the words of a name say. The verb stands first (`create_issue`), last (`issue-create`) or behind a prefix (`acme_get_issue`). */
export function readName(name: string): Sign[] {
  const words = splitWords(name)
  const head = headOf(words)
  const moved = viewMove(words)
  const signs = words.flatMap((word, at) => (moved.includes(word) ? [] : verbSigns(word, roleOf(words, at, head))))
  if (moved.length > 0) signs.push(sign('read', `"${moved.join(' ')}" only moves the view`, 5))
  const acts = signs.some((sign) => sign.effect === 'write')
  if (head === undefined && RESULT_NOUNS.has(words.at(-1) ?? ''))
    signs.push(sign('read', `ends in "${words.at(-1)}"`, 2))
  if (runsAReading(words, head)) signs.push(sign('read', `"${words.slice(head).join(' ')}"`, 2))
  return [...signs, ...powerSigns(words, acts)]
}

/** The class of the verb that carries a name, as in the values of an `action` parameter. */
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
  // `clear_cache`, `session_kill`: where a destroying word can be the action, it is.
  if (isPlainVerb(words[0]) || destroys(words[0])) return 0
  if (destroys(words[last])) return last
  const inside = words.findIndex((word) => isPlainVerb(word))
  if (isVerb(words[0]) && inside === -1 && !RESULT_NOUNS.has(words[last] ?? '')) return 0
  if (isPlainVerb(words[last])) return last
  if (inside !== -1) return inside
  return isVerb(words[last]) ? last : undefined
}

/**
 * `action`: this word carries the name. `joined`: a verb that is nothing but a verb, or follows "and" or "or", acts too
 * (`find_and_replace`, `get_or_create`). `maybe`: the last word, as often a noun (`item_build`).
 */
type Role = 'action' | 'joined' | 'maybe' | 'noun'

function roleOf(words: readonly string[], at: number, head: number | undefined): Role {
  const word = words[at]
  if (at === head) return at > 0 && !isPlainVerb(word) ? 'maybe' : 'action'
  const joined = words[at - 1] === 'and' || words[at - 1] === 'or'
  return joined || (isVerb(word) && !NOUNISH.has(word ?? '')) ? 'joined' : 'noun'
}

function verbSigns(word: string, role: Role): Sign[] {
  const is = VERBS.get(word)
  if (is === undefined || role === 'noun') return []
  const says = `"${word}"`
  const weight = role === 'maybe' ? 1 : WEIGHT[is]
  if (is === 'read' || is === 'soft_read') return role === 'joined' ? [] : [sign('read', says, weight)]
  // A tool called `delete_…` is not a read, whatever its description promises.
  const firm = is === 'destructive' || (is === 'write' && role === 'action')
  const signs: Sign[] = [
    firm ? { ...sign('write', says, weight), forbids_read: 'always' } : sign('write', says, weight),
  ]
  if (is === 'destructive') signs.push(sign('destructive', says, weight))
  if (EGRESS_VERBS.has(word)) signs.push(sign('external', says, weight))
  if (AUTHORITY_VERBS.has(word)) signs.push(sign('privileged', says, weight))
  return signs
}

/** Turning to another page or tab, or looking at it from elsewhere, changes nothing that outlasts the look. */
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
    ['select', 'switch'],
    ['page', 'tab', 'window'],
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
/** A list of secrets names them; these show them. */
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
