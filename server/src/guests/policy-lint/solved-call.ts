import type { Json } from '../../kernel/contract/json.ts'
import type { DescribedCall } from '../../kernel/policy/described-call.ts'
import type { Encoded } from './smt-condition.ts'
import { type Expression, parseExpressions, readNumber, readString } from './smt-text.ts'
import { KINDS, type Unknowns } from './smt-value.ts'

/** Runs an SMT-LIB script and returns what it prints. Undefined if there is no solver, or it gave up. */
export type Solve = (script: string) => Promise<string | undefined>

export type Solved = { readonly is: 'never' | 'open' } | { readonly is: 'found'; readonly model: Model }
export type Model = ReadonlyMap<string, Expression>

/** A limit in solver steps, not seconds, so the same question gets the same answer on every machine. */
const MOST_STEPS = 5_000_000

/** Whether all these formulas can be true of one call. `open`: unknown. */
export async function solveAll(
  solve: Solve,
  { script, unknowns }: Encoded,
  formulas: readonly string[],
): Promise<Solved> {
  const names = unknowns
    .filter(isChosen)
    .flatMap(({ base }) => ['k', 'n', 's', 'b'].map((letter) => `${letter}${base}`))
  const asserted = formulas.map((formula) => `(assert ${formula})`)
  const values = names.length === 0 ? [] : [`(get-value (${names.join(' ')}))`]
  const lines = [`(set-option :rlimit ${MOST_STEPS})`, script, ...asserted, '(check-sat)', ...values]
  const printed = await solve(lines.join('\n'))
  // If the solver prints an error, ignore the rest of its answer.
  if (printed === undefined || /^\s*(?:sat\s*)?\(error/.test(printed)) return { is: 'open' }
  const [answer, pairs] = parseExpressions(printed)
  if (answer === 'unsat') return { is: 'never' }
  if (answer !== 'sat') return { is: 'open' }
  const model = new Map<string, Expression>()
  for (const pair of Array.isArray(pairs) ? pairs : []) {
    const [name, value] = Array.isArray(pair) ? (pair as readonly Expression[]) : []
    if (typeof name === 'string' && value !== undefined) model.set(name, value)
  }
  return { is: 'found', model }
}

const isChosen = ({ path }: Unknowns): boolean => path[0] === 'args' || path[0] === 'caller'

/**
 * A call with the solver's values filled in where possible. The caller still has to try whether it does what the formulas say.
 */
export function callOf(base: DescribedCall, { unknowns }: Encoded, model: Model): DescribedCall {
  const at = new Map(unknowns.map((unknown) => [unknown.path.join('\u0000'), unknown]))
  const children = (path: readonly string[]) =>
    unknowns.filter((one) => one.path.length === path.length + 1 && path.every((key, index) => one.path[index] === key))
  const valueOf = ({ path, base: name }: Unknowns): Json | undefined => {
    switch (KINDS[readNumber(model.get(`k${name}`) ?? '') ?? 0]) {
      case 'null':
        return null
      case 'bool':
        return model.get(`b${name}`) === 'true'
      case 'number':
        return readNumber(model.get(`n${name}`) ?? '')
      case 'string':
        return readString(model.get(`s${name}`) ?? '')
      case 'list':
        return []
      case 'object': {
        const entries = children(path).map((child) => [child.path.at(-1) ?? '', valueOf(child)] as const)
        return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined))
      }
      case 'missing':
      case undefined:
      default:
        return undefined
    }
  }
  const read = (...path: string[]) => {
    const unknown = at.get(path.join('\u0000'))
    return unknown === undefined ? undefined : valueOf(unknown)
  }
  const [args, caller, user] = [read('args'), read('caller', 'id'), read('caller', 'user')]
  return {
    ...base,
    ...(args === undefined ? {} : { args }),
    ...(typeof caller === 'string' && caller !== '' ? { caller } : {}),
    ...(typeof user === 'string' && user !== '' ? { user } : {}),
  }
}
