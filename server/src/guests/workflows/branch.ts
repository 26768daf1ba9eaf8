import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import type { BranchCase, StepOf } from './workflow-document.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { pathOfExpression, type Lookup } from './templates.ts'

/** The id of the step that a branch leads to; null: continue with the next step. An absent field matches only `not_exists`. */
export function branchTarget({ when, default: other }: StepOf<'branch'>, lookup: Lookup): string | null {
  const first = when.find((one) => {
    const path = pathOfExpression(one.field)
    return holds(one, path === undefined ? undefined : lookup(path))
  })
  return first?.goto ?? other ?? null
}

/** Compares values of the same type only: nothing is converted. */
function holds({ op, value: wanted = null }: BranchCase, value: Json | undefined): boolean {
  if (op === 'exists') return value !== undefined
  if (op === 'not_exists') return value === undefined
  if (value === undefined) return false
  const other = wanted as Json
  switch (op) {
    case '==':
      return isEqual(value, other)
    case '!=':
      return !isEqual(value, other)
    case 'in':
      return Array.isArray(other) && other.some((one: Json) => isEqual(value, one))
    case 'contains':
      return contains(value, other)
    default:
      return isOrdered(op, value, other)
  }
}

function contains(value: Json, part: Json): boolean {
  if (typeof value === 'string') return typeof part === 'string' && value.includes(part)
  if (Array.isArray(value)) return value.some((one: Json) => isEqual(one, part))
  return isJsonObject(value) && typeof part === 'string' && Object.hasOwn(value, part)
}

function isOrdered(op: '<' | '<=' | '>' | '>=', value: Json, other: Json): boolean {
  const isComparable =
    (typeof value === 'number' && typeof other === 'number') || (typeof value === 'string' && typeof other === 'string')
  if (!isComparable) return false
  const [a, b] = [value, other] as [number, number]
  if (op === '<') return a < b
  if (op === '<=') return a <= b
  return op === '>' ? a > b : a >= b
}

function isEqual(a: Json, b: Json): boolean {
  const [one, other] = [canonicalJson(a), canonicalJson(b)]
  return one.ok && other.ok && one.value === other.value
}
