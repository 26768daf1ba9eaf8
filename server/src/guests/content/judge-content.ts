import type { Call } from '../../kernel/contract/call.ts'
import { inForce, type Tool } from '../../kernel/contract/tool.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import type { ArgMatch, ArgScan } from './scan-args.ts'
import { isCredentialField } from './credential-fields.ts'
import { personalIn, secretGoes } from './content-fact.ts'
import { dataDestination, type DataDestination } from './data-destination.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { Policy } from '../../kernel/policy/policy.ts'
import { namePlaces, shownPointer } from '../../kernel/text/shown-pointer.ts'

/**
 * Blocks a secret that would leave the machine; asks about one that stays, and about personal data. Text that the gate itself
 * redacted is never written back. No opinion if nothing was found.
 * INVARIANT: an opinion names types and places, never the text that was found (law in judge-content.test.ts).
 */
export function judgeContent(_policy: Policy, _call: Call, facts: Facts): Opinion[] {
  const { scan, reach } = facts.content
  const goes = dataDestination(facts.tool, reach)
  if (scan === 'unknown') return [unfinished(facts)]
  return [
    ...(scan.complete ? [] : [unfinished(facts)]),
    ...onMarks(scan, facts),
    ...onSecrets(scan, goes, facts),
    ...onPersonal(scan, facts),
  ]
}

type Said = Pick<Opinion, 'effect' | 'rule' | 'says'>

const opinion = (facts: Facts, said: Said, strength?: 'simple' | 'strong'): Opinion => ({
  decider: 'content',
  source: 'content',
  at: facts.now,
  ...said,
  ...(strength === undefined ? {} : { strength }),
})

function unfinished(facts: Facts): Opinion {
  const says = 'the arguments could not be searched for secrets within the limits of time and size'
  return opinion(facts, { effect: 'ask', rule: 'content.unknown', says }, 'strong')
}

const writes = ({ effects }: Tool): boolean => effects.some((effect) => effect !== 'read')

function onMarks({ marks }: ArgScan, facts: Facts): Opinion[] {
  if (marks.length === 0 || !writes(facts.tool)) return []
  const says = `${placesOf(marks, facts)} contains a redaction mark of the gate (\`[REDACTED_…]\`); writing it back would overwrite the original text`
  return [opinion(facts, { effect: 'block', rule: 'content.redacted', says })]
}

function onSecrets(scan: ArgScan, goes: DataDestination, facts: Facts): Opinion[] {
  const { secrets, credentials } = facts.content
  if (secrets === 'off') return []
  const found = scan.findings.filter(
    (finding) => finding.kind === 'secret' && secretGoes(finding, goes) !== 'reads_here',
  )
  const more = goes === 'reads_here' ? 0 : scan.more.secret
  if (found.length + more === 0) return []
  const schema = inForce(facts.tool.row).definition.inputSchema
  const isBlocked = (finding: ArgMatch) =>
    secrets === 'block' ||
    (secrets === undefined &&
      secretGoes(finding, goes) === 'leaves' &&
      !isCredentialField(finding.path, schema, credentials))
  const blocked = found.filter(isBlocked)
  const asked = found.filter((finding) => !isBlocked(finding))
  const isMoreBlocked = more > 0 && secrets !== 'ask' && goes === 'leaves'
  return [
    ...(blocked.length > 0 || isMoreBlocked
      ? [opinion(facts, { effect: 'block', rule: 'content.secret', says: sayBlocked(blocked, facts) })]
      : []),
    ...(asked.length > 0 || (more > 0 && !isMoreBlocked)
      ? [opinion(facts, { effect: 'ask', rule: 'content.secret', says: sayAsked(asked, goes, facts) }, 'strong')]
      : []),
  ]
}

const sayBlocked = (found: readonly ArgMatch[], facts: Facts) =>
  `${describe(found, facts)}, and this tool would send it off this machine`

const sayAsked = (found: readonly ArgMatch[], goes: DataDestination, facts: Facts) =>
  `${describe(found, facts)}, ${goes === 'stays' ? 'and this tool would write it' : 'and this tool would use it'}`

function onPersonal(scan: ArgScan, facts: Facts): Opinion[] {
  if (facts.content.pii === 'off') return []
  const found = personalIn(scan.findings, facts.tool, facts.content.reach)
  if (found.length === 0 && (scan.more.pii === 0 || !writes(facts.tool))) return []
  const says = `${describe(found, facts)}, which this tool would write or send`
  return [opinion(facts, { effect: 'ask', rule: 'content.pii', says }, 'simple')]
}

const NAMES: Readonly<Record<string, string>> = {
  EMAIL: 'an e-mail address',
  PHONE: 'a telephone number',
  PAYMENT_CARD: 'a payment card number',
  IBAN: 'a bank account number (IBAN)',
  NATIONAL_ID: 'a national identity number',
  IPV4: 'an IP address',
  IPV6: 'an IP address',
}

/** "`/body` contains a secret (JWT)". */
function describe(found: readonly ArgMatch[], facts: Facts): string {
  if (found.length === 0) return 'the arguments contain more findings than can be listed'
  const types = [
    ...new Set(found.map(({ kind, type }) => (kind === 'secret' ? `a secret (${type})` : (NAMES[type] ?? type)))),
  ]
  const hidden = found.some(({ spelled }) => spelled !== 'plainly') ? ', partly encoded or cut into parts' : ''
  return `${placesOf(
    found.map(({ path }) => path),
    facts,
  )} contains ${types.join(', ')}${hidden}`
}

function placesOf(pointers: readonly string[], { tool }: Facts): string {
  const schema = inForce(tool.row).definition.inputSchema
  return namePlaces(pointers.map((pointer) => shownPointer(pointer.split('/').slice(1).map(unescape), schema)))
}

const unescape = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')
