import { z } from 'zod'

export type DocumentPlace = readonly (string | number)[]

/** One mistake in a document: its position and what is wrong. */
export const DocumentFault = z.strictObject({
  line: z.int(),
  column: z.int(),
  path: z.string(),
  says: z.string(),
})
export type DocumentFault = z.infer<typeof DocumentFault>

/** The document as written, valid or not: a mistake in one place does not hide mistakes in others. */
export type Raw = { readonly [key: string]: unknown }

export const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const mapIn = (value: unknown, key: string): Raw => {
  const found = isRaw(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return isRaw(found) ? found : {}
}
export const listIn = (value: unknown, key: string): readonly unknown[] => {
  const found = isRaw(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return Array.isArray(found) ? (found as readonly unknown[]) : []
}
export const textIn = (value: unknown, key: string): string | undefined => {
  const found = isRaw(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return typeof found === 'string' ? found : undefined
}

/** A step and its position; `number` is its displayed number: `2`, and `2.0` for the first one inside. */
export type RawStep = {
  readonly step: Raw
  readonly path: DocumentPlace
  readonly number: string
  readonly index: number
  /** The variables of the enclosing loops. */
  readonly variables: readonly string[]
  /** The steps of the list that contains it. */
  readonly siblings: readonly unknown[]
  readonly depth: number
}

/** The variable of the steps inside a step; undefined if there are none. */
type VariableOf = (step: Raw) => string | undefined

/** Every step of a protocol, outer ones before inner ones. */
export function stepsIn(
  owner: unknown,
  path: DocumentPlace,
  variableOf: VariableOf,
  above: Omit<RawStep, 'step' | 'path' | 'index' | 'siblings'> = { number: '', variables: [], depth: 0 },
): RawStep[] {
  const siblings = listIn(owner, 'steps')
  return siblings.flatMap((one, index) => {
    const step = isRaw(one) ? one : {}
    const number = above.number === '' ? String(index) : `${above.number}.${index}`
    const at = [...path, 'steps', index]
    const own: RawStep = { ...above, step, path: at, number, index, siblings }
    const variable = variableOf(step)
    if (variable === undefined || above.depth >= 8) return [own]
    const inner = { number, variables: [...above.variables, variable], depth: above.depth + 1 }
    return [own, ...stepsIn(step, at, variableOf, inner)]
  })
}
