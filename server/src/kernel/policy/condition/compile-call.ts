import type { ASTNode } from '@marcbachmann/cel-js'
import { isJsonObject, type Json } from '../../contract/json.ts'
import { matchesGlob, parseGlob } from '../glob.ts'
import { nearest } from '../../text/nearest.ts'
import { compileHas } from './compile-access.ts'
import { type Compiled, type Context, type Evaluate, faulty, wordsOf } from './expression.ts'
import { MAX_STEPS } from './scope.ts'
import { ANY, BOOL, NUMBER, spellType, STRING } from './type.ts'
import { Failure } from './value.ts'

const TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
}
const LETTERS: Readonly<Record<string, (text: string) => string>> = {
  lowerAscii: (text) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  upperAscii: (text) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
  trim: (text) => text.trim(),
}
/** The cost of a pattern grows with its length times that of the text. */
const MAX_GLOB = 128
const METHODS = [...Object.keys(TESTS), ...Object.keys(LETTERS), 'glob', 'size', 'exists', 'all']

/** `has(x.y)`, `size(x)`, and the methods after a dot. There are no other functions. */
export function compileCall(node: ASTNode & { op: 'call' | 'rcall' }, context: Context): Compiled {
  if (node.op === 'call') {
    const [name, args] = node.args
    if (name === 'has') return compileHas(args, node, context)
    const [only] = args
    if (name === 'size' && only !== undefined && args.length === 1) return size(only, node, context)
    return unknownFunction(name, ['has', 'size'], node, context)
  }
  const [name, receiver, args] = node.args
  const [first, second] = args
  if (name === 'size' && args.length === 0) return size(receiver, node, context)
  if ((name === 'exists' || name === 'all') && first !== undefined && second !== undefined && args.length === 2) {
    return quantifier(name, receiver, [first, second], node, context)
  }
  const test = Object.hasOwn(TESTS, name) ? TESTS[name] : undefined
  if (test !== undefined && first !== undefined && args.length === 1) return textTest(test, receiver, first, context)
  const letters = Object.hasOwn(LETTERS, name) ? LETTERS[name] : undefined
  if (letters !== undefined && args.length === 0)
    return { type: STRING, run: mapText(text(receiver, context), letters) }
  if (name === 'glob' && first !== undefined && args.length === 1) return globTest(receiver, first, context)
  return unknownFunction(name, METHODS, node, context)
}

function unknownFunction(name: string, known: readonly string[], node: ASTNode, context: Context): Compiled {
  if (name === 'matches') {
    const instead = 'write `startsWith`, `endsWith`, `contains`, or `glob("*.example.com")`'
    return faulty(node, context, 'regular expressions are not part of a condition', instead)
  }
  if (known.includes(name)) {
    return faulty(
      node,
      context,
      `\`${name}\` has the wrong number of arguments`,
      'see docs/policy.md for its arguments',
    )
  }
  const meant = nearest(name, known)
  const list = known.map((word) => `\`${word}\``).join(', ')
  const instead = meant === undefined ? `write one of ${list}` : `write \`${meant}\``
  return faulty(node, context, `unknown function \`${name}\``, instead)
}

/** A part that must be a string: checked at compile time if its type is known, and again in every call. */
function text(node: ASTNode, context: Context): Evaluate {
  const { type, run } = context.compile(node, context)
  if (type.is !== 'string' && type.is !== 'any') {
    const instead = type.is === 'list' ? 'write `"x" in` the list, or `exists` or `all` over it' : 'use a string here'
    return faulty(node, context, `${wordsOf(node)} is ${spellType(type)}, not a string`, instead).run
  }
  const failure = new Failure(`${wordsOf(node)} is not a string`)
  return (scope) => {
    const value = run(scope)
    return typeof value === 'string' || value instanceof Failure ? value : failure
  }
}

function mapText(of: Evaluate, work: (text: string) => Json): Evaluate {
  return (scope) => {
    const value = of(scope)
    return typeof value === 'string' ? work(value) : value
  }
}

function textTest(test: (a: string, b: string) => boolean, of: ASTNode, part: ASTNode, context: Context): Compiled {
  const whole = text(of, context)
  const piece = text(part, context)
  const run: Evaluate = (scope) => {
    const a = whole(scope)
    if (typeof a !== 'string') return a
    const b = piece(scope)
    return typeof b === 'string' ? test(a, b) : b
  }
  return { type: BOOL, run }
}

function globTest(of: ASTNode, pattern: ASTNode, context: Context): Compiled {
  if (pattern.op !== 'value' || typeof pattern.args !== 'string') {
    return faulty(
      pattern,
      context,
      '`glob` needs its pattern in quotes',
      'write it as `args.host.glob("*.example.com")`',
    )
  }
  if (pattern.args.length > MAX_GLOB) {
    return faulty(pattern, context, `a pattern has at most ${MAX_GLOB} characters`, 'write a shorter one')
  }
  const glob = parseGlob(pattern.args)
  return { type: BOOL, run: mapText(text(of, context), (name) => matchesGlob(glob, name)) }
}

function size(of: ASTNode, node: ASTNode, context: Context): Compiled {
  const { type, run } = context.compile(of, context)
  if (type.is === 'number' || type.is === 'bool' || type.is === 'null') {
    return faulty(
      node,
      context,
      `${wordsOf(of)} is ${spellType(type)} and has no size`,
      'use `size` with a string or a list',
    )
  }
  const failure = new Failure(`${wordsOf(of)} has no size`)
  const sized: Evaluate = (scope) => {
    const value = run(scope)
    if (value instanceof Failure) return value
    if (typeof value === 'string') return codePoints(value)
    if (Array.isArray(value)) return value.length
    return isJsonObject(value) ? Object.keys(value).length : failure
  }
  return { type: NUMBER, run: sized }
}

function codePoints(value: string): number {
  let pairs = 0
  for (let at = 0; at < value.length; at += 1) {
    if ((value.charCodeAt(at) & 0xfc00) === 0xdc00) pairs += 1
  }
  return value.length - pairs
}

/** `list.exists(x, test)` and `list.all(x, test)`. Bounded: an evaluation fails after MAX_STEPS elements. */
function quantifier(
  name: 'exists' | 'all',
  receiver: ASTNode,
  [variable, test]: readonly [ASTNode, ASTNode],
  node: ASTNode,
  context: Context,
): Compiled {
  const of = context.compile(receiver, context)
  if (variable.op !== 'id' || (of.type.is !== 'list' && of.type.is !== 'any')) {
    const says =
      variable.op === 'id' ? `${wordsOf(receiver)} is ${spellType(of.type)}, not a list` : 'the element needs a name'
    return faulty(node, context, says, `write it as \`args.items.${name}(item, item == "x")\``)
  }
  const local = { name: variable.args, type: of.type.is === 'list' ? of.type.of : ANY }
  const inner = context.compile(test, { ...context, locals: [...context.locals, local] })
  if (inner.type.is !== 'bool' && inner.type.is !== 'any') {
    return faulty(test, context, `${wordsOf(test)} is not true or false`, 'compare it with a value')
  }
  const depth = context.locals.length
  const settled = name === 'exists'
  const notList = new Failure(`${wordsOf(receiver)} is not a list`)
  const notTruth = new Failure(`${wordsOf(test)} is not true or false`)
  const tooLong = new Failure(`it looks at more than ${MAX_STEPS} list elements`)
  const run: Evaluate = (scope) => {
    const list = of.run(scope)
    if (list instanceof Failure) return list
    if (!Array.isArray(list)) return notList
    for (const item of list as readonly Json[]) {
      scope.steps += 1
      if (scope.steps > MAX_STEPS) return tooLong
      scope.locals[depth] = item
      const value = inner.run(scope)
      if (value instanceof Failure) return value
      if (typeof value !== 'boolean') return notTruth
      if (value === settled) return settled
    }
    return !settled
  }
  return { type: BOOL, run }
}
