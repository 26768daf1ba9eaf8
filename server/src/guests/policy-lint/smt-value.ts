import type { ASTNode } from '@marcbachmann/cel-js'
import { pathOf } from './atoms.ts'
import { isSpellable, smtNumber, smtString } from './smt-text.ts'

/** The types a value can have, numbered as in the formulas. */
export const KINDS = ['missing', 'null', 'bool', 'number', 'string', 'list', 'object'] as const
const kind = (name: (typeof KINDS)[number]): number => KINDS.indexOf(name)

/** The solver's names for one value of a call: its type, and its number, string and boolean value. */
export type Unknowns = { readonly path: readonly string[]; readonly base: string }

/** What has been declared so far for a set of conditions. */
export type State = {
  readonly lines: string[]
  /** String literals that are used in an ordered comparison. */
  readonly words: Set<string>
  readonly values: Map<string, Unknowns>
  readonly open: Map<string, string>
  count: number
}

/** A value: the formula under which it exists, and its encoding per type. */
export type SmtTerm = {
  readonly there: string
  readonly is: (name: (typeof KINDS)[number]) => string
  readonly number: string
  readonly text: string
  readonly truth: string
}

export const and = (...parts: string[]) => (parts.length === 0 ? 'true' : `(and ${parts.join(' ')})`)
export const or = (...parts: string[]) => (parts.length === 0 ? 'false' : `(or ${parts.join(' ')})`)
export const not = (part: string) => `(not ${part})`

export const wordsIn = (node: ASTNode): string => node.input.slice(node.start, node.end)

export const both = (left: SmtTerm, right: SmtTerm, name: (typeof KINDS)[number]) => and(left.is(name), right.is(name))
export function termOf(node: ASTNode, state: State): SmtTerm | undefined {
  if (node.op === 'value') return literalTerm(node.args)
  const path = pathOf(node)
  if (path !== undefined) return valueTerm(path, state)
  if (node.op === '-_') return negative(node.args, state)
  if (node.op === '+' || node.op === '-') return sum(node, state)
  // Anything else is a value the solver may choose, the same for the same source text.
  return node.op === 'list' || node.op === '?:' ? undefined : unknownTerm(`of ${wordsIn(node)}`, [], state)
}

function literalTerm(value: unknown): SmtTerm | undefined {
  const literal = typeof value === 'bigint' ? Number(value) : value
  const of = (name: (typeof KINDS)[number], more: Partial<SmtTerm>): SmtTerm => ({
    there: 'true',
    is: (asked) => String(asked === name),
    number: '0.0',
    text: '""',
    truth: 'false',
    ...more,
  })
  if (literal === null) return of('null', {})
  if (typeof literal === 'boolean') return of('bool', { truth: String(literal) })
  if (typeof literal === 'number') return of('number', { number: smtNumber(literal) })
  return typeof literal === 'string' && isSpellable(literal) ? of('string', { text: smtString(literal) }) : undefined
}

/** Values that exist in every call and always have this type. */
const ALWAYS: Readonly<Record<string, (typeof KINDS)[number]>> = {
  'caller.id': 'string',
  'caller.user': 'string',
  'caller.role': 'string',
  'tool.id': 'string',
  'tool.name': 'string',
  'tool.server': 'string',
  'tool.risk': 'string',
}

export function valueTerm(path: readonly string[], state: State): SmtTerm {
  const term = unknownTerm(path.join('\u0000'), path, state)
  return path[0] === 'args' ? { ...term, there: and(reachable(path, state), not(term.is('missing'))) } : term
}

/** Everything above the last key is an object. */
export function reachable(path: readonly string[], state: State): string {
  const above = path.slice(0, -1).map((_, at) => path.slice(0, at + 1))
  return and('true', ...above.map((parent) => unknownTerm(parent.join('\u0000'), parent, state).is('object')))
}

function unknownTerm(key: string, path: readonly string[], state: State): SmtTerm {
  let known = state.values.get(key)
  if (known === undefined) {
    known = { path, base: String(state.values.size) }
    state.values.set(key, known)
    declare(known, state)
  }
  const { base } = known
  const is: SmtTerm['is'] = (name) => `(= k${base} ${kind(name)})`
  return { there: not(is('missing')), is, number: `n${base}`, text: `s${base}`, truth: `b${base}` }
}

function declare({ path, base }: Unknowns, { lines }: State): void {
  lines.push(
    `(declare-const k${base} Int)`,
    `(assert (and (<= 0 k${base}) (< k${base} ${KINDS.length})))`,
    `(declare-const n${base} Real)`,
    `(declare-const s${base} String)`,
    `(declare-const b${base} Bool)`,
  )
  const always = ALWAYS[path.join('.')]
  if (always !== undefined) lines.push(`(assert (= k${base} ${kind(always)}))`)
}

function negative(of: ASTNode, state: State): SmtTerm | undefined {
  const term = termOf(of, state)
  if (term === undefined) return undefined
  return { ...term, there: and(term.there, term.is('number')), number: `(- ${term.number})` }
}

/** Half a unit in the last place of a double, relative to its value. */
const ROUNDING = '(/ 1.0 9007199254740992.0)'

/**
 * Adds or subtracts two numbers, or concatenates strings with `+`. A sum of doubles is the exact sum up to rounding; overflow
 * stays open.
 */
function sum(node: ASTNode & { op: '+' | '-' }, state: State): SmtTerm | undefined {
  const [left, right] = node.args.map((side) => termOf(side, state))
  if (left === undefined || right === undefined) return undefined
  const result = unknownTerm(`of ${wordsIn(node)}`, [], state)
  const exact = `(${node.op} ${left.number} ${right.number})`
  const size = `(ite (< ${exact} 0.0) (- ${exact}) ${exact})`
  const off = `(- ${result.number} ${exact})`
  const isNear = and(`(<= ${off} (* ${ROUNDING} ${size}))`, `(<= (- ${off}) (* ${ROUNDING} ${size}))`)
  const numbers = and(both(left, right, 'number'), isNear, result.is('number'))
  const texts = node.op === '+' ? and(both(left, right, 'string'), result.is('string')) : 'false'
  return {
    there: and(left.there, right.there, or(numbers, texts)),
    is: (name) => (name === 'number' ? numbers : name === 'string' ? texts : 'false'),
    number: result.number,
    text: `(str.++ ${left.text} ${right.text})`,
    truth: 'false',
  }
}
