import type { Json } from '../../../../contract/json.ts'
import type { PolicyCall, PolicyFacts } from '../policy.ts'
import type { Variable } from './type.ts'
import { Failure, type Value } from './value.ts'

/** How many list elements one condition may look at. */
export const MAX_STEPS = 10_000

/** What one evaluation sees and has left. Variables are made when first asked for: most rules ask for none. */
export type Scope = {
  readonly call: PolicyCall
  readonly facts: PolicyFacts
  /** The current elements of `exists` and `all`, outermost first. */
  readonly locals: Json[]
  steps: number
} & { [Name in Variable]: Value | undefined }

export function scopeOf(call: PolicyCall, facts: PolicyFacts): Scope {
  return {
    call,
    facts,
    locals: [],
    steps: 0,
    args: undefined,
    tool: undefined,
    caller: undefined,
    session: undefined,
    labels: undefined,
    time: undefined,
  }
}

/** How each variable is read. One function each, because this is where the time of a condition goes. */
export const READ: Readonly<Record<Variable, (scope: Scope) => Value>> = {
  args: (scope) => (scope.args ??= parseArgs(scope.call.canonical_args)),
  tool: (scope) => (scope.tool ??= toolOf(scope.facts)),
  caller: (scope) => (scope.caller ??= callerOf(scope.call)),
  session: (scope) => (scope.session ??= sessionOf(scope)),
  labels: (scope) => (scope.labels ??= scope.facts.labels ?? new Failure('the labels of this session are unknown')),
  time: (scope) => (scope.time ??= timeAt(scope.facts.now)),
}

function toolOf({ tool, tags }: PolicyFacts): Value {
  const { tool_id: id, server, definition } = tool.row
  return { id, name: definition.name, server, effects: tool.effects, risk: tool.risk, tags: tags ?? [] }
}

const callerOf = ({ caller: { id, kind, user } }: PolicyCall): Value => ({ id, user, kind, role: kind })

const sessionOf = ({ call: { thread: id }, facts: { lane } }: Scope): Value =>
  lane === undefined ? { id } : { id, lane }

function parseArgs(text: string): Value {
  try {
    return JSON.parse(text) as Json
  } catch {
    return new Failure('the arguments are not JSON')
  }
}

const DAY = 86_400_000
const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Calendar and clock in UTC; a week begins on Monday, 1. Arithmetic, because a decision must replay anywhere. */
export function timeAt(now: number): { readonly [part: string]: Json } {
  const days = Math.floor(now / DAY)
  const minutes = Math.floor((now - days * DAY) / 60_000)
  const hour = Math.floor(minutes / 60)
  const minute = minutes % 60
  const { year, month, day } = civil(days)
  return {
    now,
    date: `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`,
    clock: `${twoDigits(hour)}:${twoDigits(minute)}`,
    year,
    month,
    day,
    hour,
    minute,
    weekday: ((((days + 3) % 7) + 7) % 7) + 1,
  }
}

/** The Gregorian date of a day since 1970, counted in eras of 400 years that begin on 1 March. */
function civil(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}
