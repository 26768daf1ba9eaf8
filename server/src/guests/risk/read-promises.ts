import type { Sign } from './sign.ts'
import type { Verb } from '../../kernel/text/split-words.ts'

const oneOf = (...phrases: readonly string[]): RegExp => new RegExp(`\\b(?:${phrases.join('|')})\\b`, 'i')

/** Only statements about the tool count: "do not modify the result" addresses the agent and promises nothing. */
const READ_ONLY = oneOf(
  'read[- ]?only',
  "(?:does|will|did)(?:n't| not) (?:\\w+ )?(?:modify|change|alter|write|mutate|affect|execute|apply|make (?:any )?changes)",
  "won't (?:modify|change|alter|write|mutate|affect|execute|apply)",
  'without (?:modifying|changing|altering|making (?:any )?changes|executing|applying|side[- ]effects)',
  'no side[- ]effects',
  '(?:nothing is|(?:files|rows|records|data|it|they) (?:is|are) (?:not|never)) (?:altered|changed|modified|touched|written)',
  'never (?:modifies|changes|writes)',
  'only (?:select|read)',
  'select (?:queries|statements) only',
)
const NOT_READ_ONLY =
  /\b(not|isn't|unless|except|disabled? in|when|if|in|into|to|from|enters?|leaves?|non) (\w+ ){0,3}read[- ]?only/i
const FINAL = oneOf(
  'irreversibl[ey]',
  'permanent(?:ly)? (?:delet|remov|eras|destr)\\w*',
  "(?:can ?not|can't) be (?:undone|reversed|recovered|restored)",
)
const DESTRUCTIVE = /(?<!\bnon-|\bnot )\bdestructive\b/i
const CHANGES = oneOf(
  'mutates?',
  'mutating',
  'modifies',
  'overwrites?',
  'side[- ]effects?',
  'write (?:operation|access|permission)s?',
  'will be (?:created|deleted|overwritten|replaced|removed|updated|modified|sent)',
)

/** A description that shows statements accepts statements. */
const STATEMENTS =
  /\b(arbitrary|raw) \w+|\bSQL (queries|query|statements?|commands?|code|scripts?)\b|\bSELECT\b[^\n]{1,200}\bFROM\b|\bCypher (query|queries|statements?)\b/
const TAKES_STATEMENTS = new Set(['eval', 'evaluate', 'exec', 'execute', 'perform', 'query', 'run'])

/** Statements that change something, written in capitals. */
const CHANGING_STATEMENTS =
  /\b(?:ALTER|DELETE|DROP|GRANT|INSERT|MERGE|TRUNCATE|UPDATE)\b(?! (?:PERMISSION|POLICY|RIGHTS))/
const BARS = { forbids_read: 'unless_promised' } as const

/** Promises and warnings anywhere in a description. `head` is its first verb. */
export function readPromises(text: string, head: Verb | undefined): Sign[] {
  const signs: Sign[] = []
  const promise = NOT_READ_ONLY.test(text) ? undefined : READ_ONLY.exec(text)?.[0]
  if (promise !== undefined) signs.push({ ...sign('read', `"${promise}"`, 3), promises_read: true })
  const shown = head !== undefined && TAKES_STATEMENTS.has(head.verb) ? STATEMENTS.exec(text)?.[0] : undefined
  if (shown !== undefined)
    signs.push({ ...sign('write', `takes "${shown.slice(0, 40)}"`, 1), forbids_read: 'unless_promised' })
  const final = FINAL.exec(text)?.[0] ?? (promise === undefined ? DESTRUCTIVE.exec(text)?.[0] : undefined)
  if (final !== undefined)
    signs.push({ ...sign('write', `"${final}"`, 3), ...BARS }, sign('destructive', `"${final}"`, 3))
  const changes = promise === undefined ? CHANGES.exec(text)?.[0] : undefined
  if (changes !== undefined) signs.push({ ...sign('write', `"${changes}"`, 2), ...BARS })
  const changing = CHANGING_STATEMENTS.exec(text)?.[0]
  if (changing !== undefined) signs.push({ ...sign('write', `takes "${changing}"`, 1), ...BARS })
  return signs
}

const sign = (effect: Sign['effect'], evidence: string, weight: number): Sign => ({
  effect,
  from: 'description',
  evidence,
  weight,
})
