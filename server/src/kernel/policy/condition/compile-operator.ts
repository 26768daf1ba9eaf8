import type { ASTNode, BinaryOperator } from '@marcbachmann/cel-js'
import { isJsonObject, type Json } from '../../contract/json.ts'
import { nearest } from '../../text/nearest.ts'
import { type Compiled, type Context, faulty, wordsOf } from './expression.ts'
import { ANY, BOOL, NUMBER, spellType, STRING, type Type } from './type.ts'
import { Failure, isIn, isSame, type Value } from './value.ts'

type Binary = Extract<ASTNode, { readonly op: BinaryOperator }>
const BINARY = new Set<string>(['==', '!=', 'in', '+', '-', '*', '/', '%', '<', '<=', '>', '>='])
export const isBinary = (node: ASTNode): node is Binary => BINARY.has(node.op)

type Pair = { readonly node: Binary; readonly left: Compiled; readonly right: Compiled; readonly context: Context }

/** Comparison, membership, and sums of numbers or strings. */
export function compileOperator(node: Binary, context: Context): Compiled {
  const [first, second] = node.args
  const left = context.compile(first, context)
  const right = context.compile(second, context)
  const pair = { node, left, right, context }
  const { op } = node
  if (op === '==' || op === '!=') return equality(pair)
  if (op === 'in') return membership(pair)
  if (op === '+' || op === '-') return sum(pair, op)
  if (op === '*' || op === '/' || op === '%') {
    return faulty(node, context, `\`${op}\` is not part of a condition`, 'compare with a constant')
  }
  return order(pair, op)
}

/** Evaluates both sides, left first, and applies `work`; if `work` returns nothing, the result is a failure. */
function both({ left, right, node }: Pair, type: Type, work: (a: Json, b: Json) => Value | undefined): Compiled {
  const failure = new Failure(`${wordsOf(node)} compares values of different types`)
  const { literal } = right
  if (literal !== undefined) {
    return {
      type,
      run: (scope) => {
        const value = left.run(scope)
        return value instanceof Failure ? value : (work(value, literal) ?? failure)
      },
    }
  }
  return {
    type,
    run: (scope) => {
      const a = left.run(scope)
      if (a instanceof Failure) return a
      const b = right.run(scope)
      return b instanceof Failure ? b : (work(a, b) ?? failure)
    },
  }
}

function unlike({ node, left, right, context }: Pair): Compiled {
  const says = `${wordsOf(node)} compares ${spellType(left.type)} with ${spellType(right.type)}`
  return faulty(node, context, says, 'compare values of one type')
}

function equality(pair: Pair): Compiled {
  const { left, right, node } = pair
  const known = left.type.is !== 'any' && right.type.is !== 'any'
  if (known && left.type.is !== right.type.is && left.type.is !== 'null' && right.type.is !== 'null')
    return unlike(pair)
  checkWords(pair, left.type, right.type)
  const wanted = node.op === '=='
  return both(pair, BOOL, (a, b) => {
    const same = isSame(a, b)
    return same === undefined ? undefined : same === wanted
  })
}

function membership(pair: Pair): Compiled {
  const { left, right, node, context } = pair
  if (right.type.is === 'list') {
    const item = right.type.of
    if (left.type.is !== 'any' && item.is !== 'any' && left.type.is !== item.is) return unlike(pair)
    checkWords(pair, left.type, item)
  } else if (right.type.is !== 'any' && right.type.is !== 'object') {
    const instead = `write \`${node.args[1].input.slice(node.args[1].start, node.args[1].end)}.contains(…)\` for a part of a string`
    return faulty(node, context, `${wordsOf(node.args[1])} is ${spellType(right.type)}, not a list`, instead)
  }
  return both(pair, BOOL, (a, b) => {
    if (Array.isArray(b)) return isIn(a, b)
    return isJsonObject(b) && typeof a === 'string' ? Object.hasOwn(b, a) : undefined
  })
}

/** Comparing with a word that the other side can never be is a typo. */
function checkWords({ node, context }: Pair, left: Type, right: Type): void {
  const [first, second] = node.args
  if (isWritten(first) === isWritten(second)) return
  const [spoken, known, written] = isWritten(first) ? [second, right, left] : [first, left, right]
  if (known.is !== 'string' || written.is !== 'string' || known.words === undefined) return
  for (const word of (written.words ?? []).filter((each) => known.words?.includes(each) === false)) {
    const meant = nearest(word, known.words)
    const list = known.words.map((each) => `\`"${each}"\``).join(', ')
    const instead = meant === undefined ? `write one of ${list}` : `write \`"${meant}"\``
    faulty(node, context, `\`"${word}"\` is not a known value of ${wordsOf(spoken)}`, instead)
  }
}

const isWritten = (node: ASTNode): boolean => node.op === 'value' || (node.op === 'list' && node.args.every(isWritten))

const COMPARE: Readonly<Record<'<' | '<=' | '>' | '>=', (a: number | string, b: number | string) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

function order(pair: Pair, op: keyof typeof COMPARE): Compiled {
  if (!isOrdered(pair)) return unlike(pair)
  const compare = COMPARE[op]
  return both(pair, BOOL, (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return compare(a, b)
    return typeof a === 'string' && typeof b === 'string' ? compare(a, b) : undefined
  })
}

function sum(pair: Pair, op: '+' | '-'): Compiled {
  const { left, right } = pair
  const isText = left.type.is === 'string' || right.type.is === 'string'
  if (!isOrdered(pair) || (op === '-' && isText)) return unlike(pair)
  const isNumber = left.type.is === 'number' || right.type.is === 'number'
  return both(pair, isText ? STRING : isNumber ? NUMBER : ANY, (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') {
      const total = op === '+' ? a + b : a - b
      return Number.isFinite(total) ? total : undefined
    }
    return op === '+' && typeof a === 'string' && typeof b === 'string' ? a + b : undefined
  })
}

function isOrdered({ left, right }: Pair): boolean {
  const kinds = [left.type.is, right.type.is].filter((is) => is !== 'any')
  return kinds.every((is) => is === 'number') || kinds.every((is) => is === 'string')
}
