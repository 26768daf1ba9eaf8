import type { ASTNode } from '@marcbachmann/cel-js'
import { isBinary } from '../../kernel/policy/condition/compile-operator.ts'
import { pathOf } from './atoms.ts'
import { smtString } from './smt-text.ts'
import {
  and,
  both,
  not,
  or,
  reachable,
  type State,
  type SmtTerm,
  termOf,
  type Unknowns,
  valueTerm,
  wordsIn,
} from './smt-value.ts'

/** Names of the formulas for when a condition is true and when it is false. If neither holds, it has no result. */
export type Truth = { readonly holds: string; readonly denies: string }

export type Encoded = {
  readonly script: string
  readonly truths: readonly Truth[]
  readonly unknowns: readonly Unknowns[]
}

/**
 * Encodes conditions as formulas over one shared call. Parts without an exact formula are left open: the solver may choose their
 * value.
 * INVARIANT: for every result a condition can really have, the formulas have a model (law in src/guests/policy-lint/test/prove-policy.test.ts).
 * So whatever the formulas exclude is impossible; whatever they admit still has to be tried.
 */
export function encodeConditions(conditions: readonly ASTNode[]): Encoded {
  const state: State = { lines: [RANK], values: new Map(), open: new Map(), words: new Set(), count: 0 }
  const truths = conditions.map((condition) => truthOf(condition, state))
  const words = [...state.words].sort().map((word) => `(rank ${smtString(word)})`)
  if (words.length > 1) state.lines.push(`(assert (< ${words.join(' ')}))`)
  const unknowns = [...state.values.values()].filter(({ path }) => path.length > 0)
  return { script: state.lines.join('\n'), truths, unknowns }
}

/**
 * JavaScript orders strings by UTF-16 units, the solver does not. Any order of countably many things embeds into the reals, so
 * each string gets a number.
 */
const RANK = '(declare-fun rank (String) Real)'

// ---------------------------------------------------------------- boolean parts

function truthOf(node: ASTNode, state: State): Truth {
  const { holds, denies } = truthFormulas(node, state)
  // Named, because each is used more than once and the text would double with every level.
  const name = state.count++
  state.lines.push(`(define-fun t${name} () Bool ${holds})`, `(define-fun f${name} () Bool ${denies})`)
  return { holds: `t${name}`, denies: `f${name}` }
}

function truthFormulas(node: ASTNode, state: State): Truth {
  if (node.op === '!_') {
    const { holds, denies } = truthOf(node.args, state)
    return { holds: denies, denies: holds }
  }
  if (node.op === '&&' || node.op === '||') {
    const [left, right] = node.args.map((part) => truthOf(part, state))
    if (left === undefined || right === undefined) return opaque(node, state)
    return node.op === '&&'
      ? { holds: and(left.holds, right.holds), denies: or(left.denies, and(left.holds, right.denies)) }
      : { holds: or(left.holds, and(left.denies, right.holds)), denies: and(left.denies, right.denies) }
  }
  if (node.op === '?:') {
    const [test, yes, no] = node.args.map((part) => truthOf(part, state))
    if (test === undefined || yes === undefined || no === undefined) return opaque(node, state)
    const either = (of: keyof Truth) => or(and(test.holds, yes[of]), and(test.denies, no[of]))
    return { holds: either('holds'), denies: either('denies') }
  }
  if (isBinary(node)) return comparison(node.op, node.args, node, state)
  if (node.op === 'call' && node.args[0] === 'has') return presence(node.args[1][0], node, state)
  if (node.op === 'rcall') return textTest(node.args[0], node.args[1], node.args[2], node, state)
  const term = termOf(node, state)
  if (term === undefined) return opaque(node, state)
  const isTruth = and(term.there, term.is('bool'))
  return { holds: and(isTruth, term.truth), denies: and(isTruth, not(term.truth)) }
}

/**
 * A part whose value the solver may choose. The same source text has the same value in all conditions of a call; whether there is
 * a result may differ, because each evaluation has its own limit.
 */
function opaque(node: ASTNode, state: State): Truth {
  const words = wordsIn(node)
  let value = state.open.get(words)
  if (value === undefined) {
    value = `o${state.open.size}`
    state.open.set(words, value)
    state.lines.push(`(declare-const ${value} Bool)`)
  }
  const fails = `x${state.count++}`
  state.lines.push(`(declare-const ${fails} Bool)`)
  return { holds: and(value, not(fails)), denies: and(not(value), not(fails)) }
}

const ORDER = new Set(['<', '<=', '>', '>='])

function comparison(op: string, sides: readonly [ASTNode, ASTNode], node: ASTNode, state: State): Truth {
  const [first, second] = sides
  if (op === 'in') return membership(first, second, node, state)
  const [left, right] = sides.map((side) => termOf(side, state))
  if (left === undefined || right === undefined) return opaque(node, state)
  const there = and(left.there, right.there)
  const guess = opaque(node, state)
  if (op === '==' || op === '!=') {
    const same = and(there, sameness(left, right, guess.holds))
    const differs = and(there, difference(left, right, guess.denies))
    // The guess is about the whole comparison, so for `!=` its sides are swapped.
    const turned = {
      holds: and(there, difference(left, right, guess.holds)),
      denies: and(there, sameness(left, right, guess.denies)),
    }
    return op === '==' ? { holds: same, denies: differs } : turned
  }
  if (!ORDER.has(op)) return guess
  const numbers = and(there, left.is('number'), right.is('number'))
  const texts = and(there, left.is('string'), right.is('string'))
  const ordered = `(${op} ${left.number} ${right.number})`
  const ranked = `(${op} ${rankOf(first, left, state)} ${rankOf(second, right, state)})`
  // Two strings are equal exactly when their ranks are.
  state.lines.push(`(assert (= (= ${left.text} ${right.text}) (= (rank ${left.text}) (rank ${right.text}))))`)
  return {
    holds: or(and(numbers, ordered), and(texts, ranked)),
    denies: or(and(numbers, not(ordered)), and(texts, not(ranked))),
  }
}

function rankOf(node: ASTNode, { text }: SmtTerm, { words }: State): string {
  if (node.op === 'value' && typeof node.args === 'string') words.add(node.args)
  return `(rank ${text})`
}

/** Lists and objects are not encoded, so there the guess decides. */
function sameness(left: SmtTerm, right: SmtTerm, guess: string): string {
  return or(
    both(left, right, 'null'),
    and(both(left, right, 'bool'), `(= ${left.truth} ${right.truth})`),
    and(both(left, right, 'number'), `(= ${left.number} ${right.number})`),
    and(both(left, right, 'string'), `(= ${left.text} ${right.text})`),
    and(or(both(left, right, 'list'), both(left, right, 'object')), guess),
  )
}

function difference(left: SmtTerm, right: SmtTerm, guess: string): string {
  return or(
    `(xor ${left.is('null')} ${right.is('null')})`,
    and(both(left, right, 'bool'), not(`(= ${left.truth} ${right.truth})`)),
    and(both(left, right, 'number'), not(`(= ${left.number} ${right.number})`)),
    and(both(left, right, 'string'), not(`(= ${left.text} ${right.text})`)),
    and(or(both(left, right, 'list'), both(left, right, 'object')), guess),
  )
}

/** Membership among literals; the contents of other lists stay open. */
function membership(of: ASTNode, among: ASTNode, node: ASTNode, state: State): Truth {
  const left = termOf(of, state)
  const items = among.op === 'list' ? among.args.map((item) => termOf(item, state)) : []
  const known = items.filter((item) => item !== undefined)
  const isWritten = among.op === 'list' && among.args.every((item) => item.op === 'value' || item.op === '-_')
  if (left === undefined || !isWritten || known.length !== items.length) return opaque(node, state)
  const there = and(left.there, ...known.map((item) => item.there))
  return {
    holds: and(there, or(...known.map((item) => sameness(left, item, 'false')))),
    denies: and(there, ...known.map((item) => difference(left, item, 'false'))),
  }
}

function presence(asked: ASTNode | undefined, node: ASTNode, state: State): Truth {
  const path = asked === undefined ? undefined : pathOf(asked)
  if (path?.[0] !== 'args' || path.length < 2) return opaque(node, state)
  const term = valueTerm(path, state)
  const above = reachable(path, state)
  return { holds: and(above, not(term.is('missing'))), denies: and(above, term.is('missing')) }
}

const TESTS: Readonly<Record<string, (whole: string, part: string) => string>> = {
  startsWith: (whole, part) => `(str.prefixof ${part} ${whole})`,
  endsWith: (whole, part) => `(str.suffixof ${part} ${whole})`,
  contains: (whole, part) => `(str.contains ${whole} ${part})`,
}

function textTest(name: string, of: ASTNode, args: readonly ASTNode[], node: ASTNode, state: State): Truth {
  const [argument] = args
  const whole = termOf(of, state)
  const part = argument === undefined ? undefined : termOf(argument, state)
  if (whole === undefined || part === undefined || argument === undefined || args.length !== 1)
    return opaque(node, state)
  const test = Object.hasOwn(TESTS, name) ? TESTS[name]?.(whole.text, part.text) : globTest(name, whole.text, argument)
  if (test === undefined) return opaque(node, state)
  const texts = and(whole.there, part.there, whole.is('string'), part.is('string'))
  return { holds: and(texts, test), denies: and(texts, not(test)) }
}

/** A pattern with `?` stays open: it counts in UTF-16 units, the solver does not. */
function globTest(name: string, whole: string, pattern: ASTNode): string | undefined {
  if (name !== 'glob' || pattern.op !== 'value' || typeof pattern.args !== 'string') return undefined
  if (pattern.args.includes('?')) return undefined
  const pieces = pattern.args.split('*').map((piece) => `(str.to_re ${smtString(piece)})`)
  const parts = pieces.flatMap((piece, at) => (at === 0 ? [piece] : ['re.all', piece]))
  return `(str.in_re ${whole} ${parts.length === 1 ? parts[0] : `(re.++ ${parts.join(' ')})`})`
}
