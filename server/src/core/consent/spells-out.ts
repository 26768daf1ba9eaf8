import type { Constraint } from '../../contract/consent.ts'

/** A place in the arguments: a text, and a stretch of it. */
type Stretch = { readonly path: string; readonly end: number; readonly spelled: string }

/**
 * Whether whoever gave a consent wrote down what stands at a place: the field itself, or the list it is a member of, has a value
 * or a choice of values, or a prefix that reaches beyond it. `any` names a field and leaves it free, so it spells out nothing.
 */
export function spellsOut(constraints: readonly Constraint[], { path, end, spelled }: Stretch): boolean {
  return constraints.some((constraint) => {
    if (constraint.path !== path && constraint.path !== path.replace(/\/\d+$/, '')) return false
    if (constraint.op === 'prefix') return spelled === 'plainly' && end <= constraint.value.length
    return constraint.op === 'equals' || constraint.op === 'in'
  })
}
