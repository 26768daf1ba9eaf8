import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type Found = { readonly path: readonly PropertyKey[]; readonly says: string }

/**
 * What is wrong with a value, one line per field: its path and what it must be, never the value itself. `whole` names the value
 * where the fault is not in a field.
 */
export function issueLines(issues: readonly Issue[], whole: string): string[] {
  const lines = issues
    .flatMap((issue) => found(issue, []))
    .map(({ path, says }) => `${path.length === 0 ? whole : path.map(shortName).join('.')}: ${says}`)
  const more = lines.length - MOST_LINES
  return more > 0 ? [...lines.slice(0, MOST_LINES), `and ${more} more`] : lines
}

const MOST_LINES = 20
const LONGEST_NAME = 100
const shortName = (key: PropertyKey): string => String(key).slice(0, LONGEST_NAME)

function found(issue: Issue, above: readonly PropertyKey[]): readonly Found[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], says: 'unknown field' }))
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return [{ path, says: `must be one of ${issue.options.map(String).join(', ')}` }]
  if (issue.code !== 'invalid_union' || !isStandard(issue)) return [{ path, says: issueWords(issue) }]
  const [meant, ...others] = issue.errors.filter((branch) => !branch.some(isOfOtherType))
  if (meant !== undefined && others.length === 0) return meant.flatMap((inner) => found(inner, path))
  const words = issue.errors.flatMap((branch) => branch.filter(isAtRoot).map(issueWords))
  return [{ path, says: words.length === 0 ? 'has none of the allowed forms' : [...new Set(words)].join(', or ') }]
}

const isAtRoot = ({ path }: Issue): boolean => path.length === 0
const isOfOtherType = (issue: Issue): boolean => isAtRoot(issue) && issue.code === 'invalid_type'

/** Not a message that the schema itself contains. */
const isStandard = ({ message }: Issue): boolean =>
  /^(?:Invalid (?:input|option)|Too (?:big|small))(?:$|:)/.test(message)

/** One fault in plain words, to follow the name of the field. */
export function issueWords(issue: Issue): string {
  if (!isStandard(issue)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'missing'
        : `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must ${issue.inclusive === false ? 'be more than' : verbOf(issue.origin, 'at least')} ${counted(issue.origin, issue.minimum)}`
    case 'too_big':
      return `must ${issue.inclusive === false ? 'be less than' : verbOf(issue.origin, 'at most')} ${counted(issue.origin, issue.maximum)}`
    default:
      return 'does not have the expected format'
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  object: ['field', 'fields'],
  record: ['field', 'fields'],
}

const verbOf = (origin: string, bound: string): string => `${UNITS[origin] === undefined ? 'be' : 'have'} ${bound}`

function counted(origin: string, limit: number | bigint): string {
  const units = UNITS[origin]
  return units === undefined ? String(limit) : `${limit} ${units[Number(limit) === 1 ? 0 : 1]}`
}
