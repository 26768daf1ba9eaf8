import type { Parameter } from './parameters.ts'
import type { Pairs } from './spell-parameter.ts'

/**
 * The first parameter whose object brings a name that belongs to the operator or to another parameter of the same place, given or
 * not, or that another object brings too. A rule about that parameter would not see the value.
 */
export function addsToAnother(
  parameters: readonly Parameter[],
  given: ReadonlyMap<Parameter, Pairs>,
  operatorsQuery: Readonly<Record<string, string>>,
): { readonly parameter: Parameter; readonly key: string } | undefined {
  const brought: { readonly by: Parameter; readonly name: string }[] = []
  for (const [parameter, pairs] of given) {
    for (const [key] of pairs) {
      if (key === parameter.name) continue
      const declared = parameters.filter((other) => other !== parameter && other.in === parameter.in)
      const taken = [
        ...declared.map(({ name }) => name),
        ...(parameter.in === 'query' ? Object.keys(operatorsQuery) : []),
        ...brought.flatMap(({ by, name }) => (by !== parameter && by.in === parameter.in ? [name] : [])),
      ]
      if (taken.some((name) => isSameName(key, name, parameter.name))) return { parameter, key }
      brought.push({ by: parameter, name: key })
    }
  }
  return undefined
}

/** `a[0]`, `a.b` and `A` set `a` in some frameworks. What stands below the parameter's own name is its own. */
function isSameName(key: string, other: string, own: string): boolean {
  const base = baseOf(key)
  return plain(key) === plain(other) || (base === baseOf(other) && base !== baseOf(own))
}

/** As frameworks read names: in any letter case, with `.`, spaces and `[` read as `_`. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/^[\s\p{C}]+|[\s\p{C}\]]+$/gu, '')
    .replaceAll(/[\s.[\]\p{C}]+/gu, '_')
const baseOf = (name: string): string => plain(name.split(/[.[\0]/).find((part) => part !== '') ?? '')
