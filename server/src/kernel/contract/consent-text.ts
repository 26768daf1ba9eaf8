import type { Constraint, ConsentState } from './consent.ts'
import { shortened, visibleText } from './visible-text.ts'

/** The states of a consent as people read them, at every door. */
export const CONSENT_STATES: Readonly<Record<ConsentState, string>> = {
  active: 'active',
  exhausted: 'used up',
  expired: 'expired',
  revoked: 'revoked',
}

const LONGEST_VALUE = 60

/** What a consent permits as arguments and what it leaves open, in one sentence. */
export function argumentsText(constraints: readonly Constraint[]): string {
  const whole = constraints.filter(({ path }) => path === '')
  const named = constraints.filter(({ path }) => path !== '')
  const parts = named.map((constraint) => `${nameOf(constraint.path)} ${limitOf(constraint)}`)
  if (whole.some(({ op }) => op === 'any')) {
    const all = named.length === 0 ? 'all arguments may have any value' : 'all other arguments may have any value'
    return [...parts, all].join('; ')
  }
  if (constraints.length === 0) return 'no arguments: a call with any argument is still held'
  const exact = whole.map((constraint) => `all arguments together ${limitOf(constraint)}`)
  return [...exact, ...parts, 'a call with any other argument is still held'].join('; ')
}

/** `to` for `/to`; deeper places as JSON pointers. */
const nameOf = (path: string) =>
  `\`${visibleText(path.indexOf('/', 1) === -1 ? path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~') : path)}\``

function limitOf(constraint: Constraint): string {
  switch (constraint.op) {
    case 'equals':
      return `must be ${valueText(constraint.value)}`
    case 'in':
      return `must be one of ${constraint.value.map(valueText).join(', ')}`
    case 'prefix':
      return `must start with ${valueText(constraint.value)}`
    case 'min':
      return `must be at least ${constraint.value}`
    case 'max':
      return `must be at most ${constraint.value}`
    default:
      return 'may have any value'
  }
}

const valueText = (value: unknown): string => shortened(visibleText(JSON.stringify(value) ?? ''), LONGEST_VALUE)
