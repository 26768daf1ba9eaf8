import type { Constraint } from '../contract/consent.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import { mostDots } from '../text/path-parts.ts'
import { canonicalJson } from '../json/canonical.ts'
import { below, valueAt } from './json-pointer.ts'

/**
 * Whether a call may have these arguments: every constraint holds, and every argument is named by one.
 * INVARIANT: a missing argument matches only `any`, because the tool's default is unknown.
 */
export function permitsArgs(constraints: readonly Constraint[], args: Json): boolean {
  const named = new Set(constraints.map(({ path }) => path))
  return constraints.every((constraint) => holds(constraint, args)) && isNamed(named, args, '')
}

const MOST_FIELDS = 5

/** Pointers to what a consent does not permit: fields whose constraint fails, and fields without a constraint. */
export function fieldsAgainst(constraints: readonly Constraint[], args: Json): string[] {
  if (permitsArgs(constraints, args)) return []
  const failing = constraints.flatMap((constraint) => (holds(constraint, args) ? [] : [constraint.path]))
  const named = new Set(constraints.map(({ path }) => path))
  const unnamed = isJsonObject(args)
    ? Object.entries(args).flatMap(([key, member]) => (isNamed(named, member, below('', key)) ? [] : [below('', key)]))
    : []
  const all = [...new Set([...failing, ...(named.has('') ? [] : unnamed)])]
  return all.slice(0, MOST_FIELDS)
}

function holds(constraint: Constraint, args: Json): boolean {
  if (constraint.op === 'any') return true
  const value = valueAt(args, constraint.path)
  if (value === undefined) return false
  if (fits(constraint, value)) return true
  if (constraint.op === 'equals' || !Array.isArray(value) || value.length === 0) return false
  return (value as readonly Json[]).every((member) => fits(constraint, member))
}

function fits(constraint: Exclude<Constraint, { op: 'any' }>, value: Json): boolean {
  switch (constraint.op) {
    case 'equals':
      return isSame(value, constraint.value)
    case 'in':
      return constraint.value.some((choice) => isSame(value, choice))
    case 'prefix':
      return typeof value === 'string' && value.startsWith(constraint.value) && mostDots(value) < 2
    case 'min':
      return typeof value === 'number' && value >= constraint.value
    case 'max':
      return typeof value === 'number' && value <= constraint.value
    default:
      return false
  }
}

function isSame(a: Json, b: Json): boolean {
  const [one, other] = [canonicalJson(a), canonicalJson(b)]
  return one.ok && other.ok && one.value === other.value
}

/** The root itself needs no constraint: a call without arguments has nothing to permit. */
function isNamed(named: ReadonlySet<string>, value: Json, pointer: string): boolean {
  if (named.has(pointer)) return true
  if (Array.isArray(value))
    return value.length > 0 && value.every((member, at) => isNamed(named, member, below(pointer, at)))
  if (!isJsonObject(value)) return false
  const members = Object.entries(value)
  if (members.length === 0) return pointer === ''
  return members.every(([key, member]) => isNamed(named, member, below(pointer, key)))
}
