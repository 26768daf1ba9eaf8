import type { Constraint } from '../contract/consent.ts'

/** A place in the arguments: a text, and a span of it. */
export type ArgumentSpan = { readonly path: string; readonly end: number; readonly spelled: string }

/**
 * Whether a consent states the value at a place: the field, or the list that contains it, has a value, a choice of values, or a
 * prefix that extends beyond it. `any` names a field and leaves it open, so it states nothing.
 */
export function statesValue(constraints: readonly Constraint[], { path, end, spelled }: ArgumentSpan): boolean {
  return constraints.some((constraint) => {
    if (constraint.path !== path && constraint.path !== path.replace(/\/\d+$/, '')) return false
    if (constraint.op === 'prefix') return spelled === 'plainly' && end <= constraint.value.length
    return constraint.op === 'equals' || constraint.op === 'in'
  })
}
