import type { ASTNode } from '@marcbachmann/cel-js'
import { nearest } from '../../text/nearest.ts'
import { compileAccess } from './compile-access.ts'
import { compileCall } from './compile-call.ts'
import { compileOperator, isBinary } from './compile-operator.ts'
import { type Compiled, type Context, faulty, wordsOf } from './expression.ts'
import { READ } from './scope.ts'
import { ANY, BOOL, NULL, NUMBER, STRING, type Type, type Variable, VARIABLES } from './type.ts'
import { Failure } from './value.ts'

/** Checks one part of a condition and compiles it to a function. Anything outside the subset is a fault. */
export function compileExpression(node: ASTNode, context: Context): Compiled {
  if (isBinary(node)) return compileOperator(node, context)
  switch (node.op) {
    case 'value':
      return literal(node, context)
    case 'id':
      return name(node.args, node, context)
    case 'list':
      return list(node.args, node, context)
    case '.':
    case '[]':
      return compileAccess(node, context)
    case 'call':
    case 'rcall':
      return compileCall(node, context)
    case '&&':
    case '||':
      return logical(node.op, node.args, context)
    case '?:':
      return choice(node.args, context)
    case '!_':
      return not(node.args, context)
    case '-_':
      return minus(node, context)
    case 'map':
    case '.?':
    case '[?]':
    default:
      return faulty(node, context, `${wordsOf(node)} is not part of a condition`, 'compare single values')
  }
}

function literal(node: ASTNode & { op: 'value' }, context: Context): Compiled {
  const value = node.args
  if (value === null) return { type: NULL, run: () => null, literal: null }
  if (typeof value === 'boolean') return { type: BOOL, run: () => value, literal: value }
  if (typeof value === 'string') return { type: { is: 'string', words: [value] }, run: () => value, literal: value }
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || (typeof value === 'bigint' && !Number.isSafeInteger(number))) {
    return faulty(
      node,
      context,
      `${wordsOf(node)} is not a JSON number or string`,
      'write a plain number or a quoted string',
    )
  }
  return { type: NUMBER, run: () => number, literal: number }
}

const isVariable = (word: string): word is Variable => Object.hasOwn(VARIABLES, word)

function name(word: string, node: ASTNode, context: Context): Compiled {
  const at = context.locals.findLastIndex((local) => local.name === word)
  const local = context.locals[at]
  if (local !== undefined) return { type: local.type, run: (scope) => scope.locals[at] ?? null }
  if (isVariable(word)) {
    return { type: word === 'args' ? context.args : VARIABLES[word], run: READ[word] }
  }
  const meant = nearest(word, Object.keys(VARIABLES))
  const known = Object.keys(VARIABLES).map((variable) => `\`${variable}\``)
  const instead = meant === undefined ? `write one of ${known.join(', ')}` : `write \`${meant}\``
  return faulty(node, context, `unknown name \`${word}\``, `${instead}, or put quotes around a string`)
}

function list(items: readonly ASTNode[], node: ASTNode, context: Context): Compiled {
  const compiled = items.map((item) => compileExpression(item, context))
  const kinds = new Set(compiled.map(({ type }) => type.is).filter((is) => is !== 'any'))
  if (kinds.size > 1) return faulty(node, context, 'the list mixes types of values', 'use values of one type')
  const runs = compiled.map(({ run }) => run)
  const run: Compiled['run'] = (scope) => {
    const values = []
    for (const each of runs) {
      const value = each(scope)
      if (value instanceof Failure) return value
      values.push(value)
    }
    return values
  }
  // A list of literals is built once.
  const literals = compiled.map(({ literal }) => literal)
  const fixed = literals.every((value) => value !== undefined) ? literals : undefined
  return { type: { is: 'list', of: commonType(compiled) }, run: fixed === undefined ? run : () => fixed }
}

function commonType(items: readonly Compiled[]): Type {
  const first = items[0]?.type ?? ANY
  if (!items.every(({ type }) => type.is === first.is)) return ANY
  if (first.is !== 'string') return first
  const words = items.map(({ type }) => (type.is === 'string' ? type.words : undefined))
  return words.every((list) => list !== undefined) ? { is: 'string', words: words.flat() } : STRING
}

/**
 * A part that must be true or false. A type promised by a schema is checked again in every call; the result of an operator is
 * not.
 */
function truth(node: ASTNode, context: Context): Compiled['run'] {
  const { type, run } = compileExpression(node, context)
  const words = wordsOf(node)
  if (type.is !== 'bool' && type.is !== 'any') {
    return faulty(node, context, `${words} is not true or false`, 'compare it with a value').run
  }
  if (isBinary(node) || node.op === '&&' || node.op === '||' || node.op === '!_') return run
  const failure = new Failure(`${words} is not true or false`)
  return (scope) => {
    const value = run(scope)
    return typeof value === 'boolean' || value instanceof Failure ? value : failure
  }
}

/** Evaluated left to right. A failure on the way is the result, even if the other side would decide the outcome. */
function logical(op: '&&' | '||', [left, right]: readonly [ASTNode, ASTNode], context: Context): Compiled {
  const first = truth(left, context)
  const second = truth(right, context)
  const settled = op === '||'
  return {
    type: BOOL,
    run: (scope) => {
      const value = first(scope)
      return value instanceof Failure || value === settled ? value : second(scope)
    },
  }
}

function choice([test, yes, no]: readonly [ASTNode, ASTNode, ASTNode], context: Context): Compiled {
  const decides = truth(test, context)
  const one = compileExpression(yes, context)
  const other = compileExpression(no, context)
  return {
    type: commonType([one, other]),
    run: (scope) => {
      const value = decides(scope)
      if (value instanceof Failure) return value
      return value === true ? one.run(scope) : other.run(scope)
    },
  }
}

function not(node: ASTNode, context: Context): Compiled {
  const run = truth(node, context)
  return {
    type: BOOL,
    run: (scope) => {
      const value = run(scope)
      return value instanceof Failure ? value : value !== true
    },
  }
}

function minus(node: ASTNode & { op: '-_' }, context: Context): Compiled {
  const { literal } = compileExpression(node.args, context)
  if (typeof literal === 'number') return { type: NUMBER, run: () => -literal, literal: -literal }
  return faulty(node, context, `${wordsOf(node)} is not a number`, 'write `-` only before a number')
}
