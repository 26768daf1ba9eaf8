import { tooFewApprovers } from '../../kernel/contract/too-few-approvers.ts'
import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { fieldsOf, textOf, timeOf, type PrintedFields } from './print.ts'

const MOST_PEOPLE = 8
const LONGEST_NAME = 48

const name = (value: unknown): string => shortened(visibleText(textOf(value)), LONGEST_NAME)

/** Who is asked, who has approved, and when the request is escalated. Empty if any single approver may decide. */
export function askedWords(packet: PrintedFields): string[] {
  const asked = fieldsOf(packet['asked'])
  const groups = listOf(asked['groups']).map(fieldsOf)
  const needed = Number(asked['people'] ?? 1)
  if (groups.length === 0 && needed <= 1) return []
  const whom = groups.length === 0 ? 'approvers' : `of ${groups.map(groupWords).join(' and ')}`
  return [
    `asked: ${needed} ${whom}; ${textOf(asked['approved'])} so far, ${missingWords(asked)}`,
    ...tooFewWords(asked),
    ...listOf(packet['decisions']).map(fieldsOf).map(decisionWords),
    ...escalationWords(asked),
  ]
}

function tooFewWords({ able }: PrintedFields): string[] {
  const says = tooFewApprovers(typeof able === 'number' ? { able } : {})
  return says === undefined ? [] : [says]
}

export function missingWords(asked: PrintedFields): string {
  const missing = Number(asked['missing'] ?? 0)
  if (missing === 0) return 'no more approvals are needed'
  return missing === 1 ? 'one more person must approve' : `${missing} more people must approve`
}

function groupWords({ name: group, people }: PrintedFields): string {
  const named = listOf(people)
  const shown = named.slice(0, MOST_PEOPLE).map(name).join(', ')
  const more = named.length > MOST_PEOPLE ? ` and ${named.length - MOST_PEOPLE} more` : ''
  return `${name(group)} (${shown}${more})`
}

function decisionWords({ user, for: place, says, ended_at }: PrintedFields): string {
  const onBehalf = place === undefined ? '' : ` for ${name(place)}`
  const over = ended_at === undefined ? '' : ' (the key was revoked, so it does not count)'
  return `${textOf(says) === 'approve' ? 'approved' : 'denied'} by ${name(user)}${onBehalf}${over}`
}

function escalationWords({ escalates_at, escalates_to, escalated_at }: PrintedFields): string[] {
  if (escalated_at !== undefined) return [`${name(escalates_to)} has also been asked since ${timeOf(escalated_at)}`]
  return escalates_at === undefined ? [] : [`${name(escalates_to)} will also be asked from ${timeOf(escalates_at)} on`]
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
