import type { ASTNode } from '@marcbachmann/cel-js'
import { isJsonObject } from '../../contract/json.ts'
import { nearest } from '../../text/nearest.ts'
import { type Compiled, type Context, type Evaluate, faulty, wordsOf } from './expression.ts'
import { ANY, BOOL, spellType, type Type } from './type.ts'
import { Failure, type Value } from './value.ts'

/** `args.to`, `args["x-id"]`, `args.rows[0]`. Only own keys count; a missing key is a failure. */
export function compileAccess(node: ASTNode & { op: '.' | '[]' }, context: Context): Compiled {
  const of = context.compile(node.args[0], context)
  const key = keyOf(node)
  if (key !== undefined) return field(of, key, node, context)
  const at = node.op === '[]' ? node.args[1] : node.args[0]
  return element(of, context.compile(at, context), node, context)
}

/** `has(args.to)`: whether the last key exists. Everything before it must exist. */
export function compileHas(args: readonly ASTNode[], node: ASTNode, context: Context): Compiled {
  const [asked] = args
  const key = asked === undefined ? undefined : keyOf(asked)
  if (args.length !== 1 || asked === undefined || key === undefined || (asked.op !== '.' && asked.op !== '[]')) {
    return faulty(node, context, '`has` takes one key', 'write it as `has(args.name)`')
  }
  const of = context.compile(asked.args[0], context)
  fieldType(of.type, key, asked, context)
  const failure = new Failure(`${wordsOf(asked.args[0])} is not an object`)
  const run: Evaluate = (scope) => {
    const value = of.run(scope)
    if (value instanceof Failure) return value
    if (!isJsonObject(value)) return failure
    if (!Object.hasOwn(value, key)) return false
    return (value[key] as Value) instanceof Failure ? (value[key] as Value) : true
  }
  return { type: BOOL, run }
}

/** The literal key of an access, written after a dot or as a text in brackets. */
function keyOf(node: ASTNode): string | undefined {
  if (node.op === '.') return node.args[1]
  if (node.op !== '[]' || node.args[1].op !== 'value') return undefined
  const key = node.args[1].args
  return typeof key === 'string' ? key : undefined
}

function field(of: Compiled, key: string, node: ASTNode & { op: '.' | '[]' }, context: Context): Compiled {
  const type = fieldType(of.type, key, node, context)
  const missing = new Failure(`${wordsOf(node)} is missing`)
  const wrong = new Failure(`${wordsOf(node.args[0])} is not an object`)
  // Every object inherits `constructor` and the like, so these keys need an own-property check.
  const inherited = key in Object.prototype
  const run: Evaluate = (scope) => {
    const value = of.run(scope)
    if (value instanceof Failure) return value
    if (!isJsonObject(value)) return wrong
    return value[key] === undefined || (inherited && !Object.hasOwn(value, key)) ? missing : value[key]
  }
  return { type, run }
}

function fieldType(of: Type, key: string, node: ASTNode & { op: '.' | '[]' }, context: Context): Type {
  if (of.is === 'any') return ANY
  const parent = wordsOf(node.args[0])
  if (of.is !== 'object') {
    const instead = of.is === 'list' ? `write \`exists\` or \`all\` over ${parent}` : `use ${parent} itself`
    return faulty(node, context, `${parent} is ${spellType(of)} and has no \`${key}\``, instead).type
  }
  const known = Object.hasOwn(of.fields, key) ? of.fields[key] : undefined
  if (known !== undefined) return known
  if (of.open) return ANY
  const keys = Object.keys(of.fields)
  const meant = nearest(key, keys)
  const instead =
    meant === undefined ? `write one of ${keys.map((name) => `\`${name}\``).join(', ')}` : `write \`${meant}\``
  context.fault({
    at: keyAt(node, key),
    says: `${parent} has no \`${key}\``,
    instead: keys.length === 0 ? 'leave it out' : instead,
  })
  return ANY
}

const keyAt = (node: ASTNode & { op: '.' | '[]' }, key: string) =>
  node.op === '.' ? node.end - key.length : node.args[1].start

function element(of: Compiled, at: Compiled, node: ASTNode, context: Context): Compiled {
  const isList = of.type.is === 'list' || of.type.is === 'any'
  const isIndex = at.type.is === 'number' || at.type.is === 'any'
  if (!isList || !isIndex) {
    return faulty(node, context, `${wordsOf(node)} is not an element`, 'write a number or a quoted key in the brackets')
  }
  const wrong = new Failure(`${wordsOf(node)} is not an element of a list`)
  const missing = new Failure(`${wordsOf(node)} is missing`)
  const run: Evaluate = (scope) => {
    const list = of.run(scope)
    if (list instanceof Failure) return list
    const index = at.run(scope)
    if (index instanceof Failure) return index
    if (!Array.isArray(list) || typeof index !== 'number') return wrong
    const item = Number.isInteger(index) && index >= 0 ? list[index] : undefined
    return item === undefined ? missing : item
  }
  return { type: of.type.is === 'list' ? of.type.of : ANY, run }
}
