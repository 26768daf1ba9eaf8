import { z } from 'zod'
import { isJsonObject, type Json } from '../../../kernel/contract/json.ts'
import { canonicalJson } from '../../../kernel/json/canonical.ts'
import { auditEntry, failed } from '../draft.ts'
import type { DocumentFault, DocumentPlace } from '../raw-document.ts'
import { isRaw, listIn, textIn } from '../raw-document.ts'
import { pathOfExpression, type Lookup } from '../templates.ts'
import { FIELDS, stepType } from './step-type.ts'

const OPS = ['==', '!=', '<', '<=', '>', '>=', 'exists', 'not_exists', 'in', 'contains'] as const
const Case = z.strictObject({
  /** A path, with or without braces. */
  field: FIELDS.path,
  op: z.enum(OPS),
  value: z.json().optional(),
  goto: z.string().min(1),
})
type Case = z.infer<typeof Case>
const Branch = z.strictObject({
  type: z.literal('branch'),
  ...FIELDS.common,
  when: z.array(Case).min(1, 'a branch has at least one case'),
  default: z.string().min(1).optional(),
})
type Branch = z.infer<typeof Branch>

/** Jumps forward, by the first case that holds. */
export const branch = stepType(Branch, {
  check({ step, path, siblings, index }, where, located) {
    const targetFault = (target: string | undefined, at: DocumentPlace): DocumentFault[] => {
      if (target === undefined) return []
      const to = siblings.findIndex((one) => textIn(one, 'id') === target)
      if (to === -1) return [located.at(at, `${where}: unknown goto \`${target}\``)]
      return to > index ? [] : [located.at(at, `${where}: goto \`${target}\` leads backward`)]
    }
    const cases = listIn(step, 'when').flatMap((one, at) => {
      const caseAt = [...path, 'when', at]
      const op = textIn(one, 'op')
      const needsValue = op !== 'exists' && op !== 'not_exists'
      const hasValue = isRaw(one) && Object.hasOwn(one, 'value')
      return [
        ...targetFault(textIn(one, 'goto'), [...caseAt, 'goto']),
        ...(op !== undefined && needsValue && !hasValue
          ? [located.at(caseAt, `${where}: \`${op}\` needs a value`)]
          : []),
        ...(op === 'in' && hasValue && !Array.isArray(one['value'])
          ? [located.at([...caseAt, 'value'], `${where}: \`in\` needs a list`)]
          : []),
      ]
    })
    return [...cases, ...targetFault(textIn(step, 'default'), [...path, 'default'])]
  },
  pathsIn: (step) =>
    listIn(step, 'when').flatMap((one, index) => {
      const text = textIn(one, 'field')
      return text === undefined || text === '' ? [] : [{ text, at: ['when', index, 'field'] }]
    }),
  edges({ when, default: other }, from, { next, nodeOf }) {
    const cases = when.map(({ field, op, value, goto }) => ({
      from,
      to: nodeOf(goto),
      when: `${field} ${op}${value === undefined ? '' : ` ${JSON.stringify(value)}`}`,
    }))
    return [...cases, { from, to: other === undefined ? next : nodeOf(other), when: 'otherwise' }]
  },
  advance(step, { draft, frame, steps, lookup, number }) {
    const to = branchTarget(step, lookup)
    const index = to === null ? frame.at + 1 : steps.findIndex(({ id }) => id === to)
    const { loaded: _, ...rest } = frame
    // The document parser has rejected every other target.
    if (index <= frame.at)
      return { draft: failed(draft, 'template_unresolved', `goto \`${to ?? ''}\` does not exist`, number), frame }
    const entry = auditEntry(draft.state, 'workflow.stepped', {
      outcome: 'done',
      about: { step: number, type: step.type, to: to ?? '' },
    })
    return {
      draft: { ...draft, audit: [...draft.audit, entry] },
      frame: { ...rest, at: index, passed: [...(frame.passed ?? []), frame.at] },
    }
  },
})

/** The id of the step that a branch leads to; null: continue with the next step. An absent field matches only `not_exists`. */
function branchTarget({ when, default: other }: Branch, lookup: Lookup): string | null {
  const first = when.find((one) => {
    const path = pathOfExpression(one.field)
    return holds(one, path === undefined ? undefined : lookup(path))
  })
  return first?.goto ?? other ?? null
}

/** Compares values of the same type only: nothing is converted. */
function holds({ op, value: wanted = null }: Case, value: Json | undefined): boolean {
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
