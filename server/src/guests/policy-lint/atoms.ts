import type { ASTNode } from '@marcbachmann/cel-js'
import type { Json } from '../../kernel/contract/json.ts'
import { isBinary } from '../../kernel/policy/condition/compile-operator.ts'

/** The numbers and words that a condition compares one value with. */
export type AskedPath = { readonly path: readonly string[]; readonly values: Json[] }

/** `exact`: there are only plain comparisons with literals, so trying the values around them covers every case. */
export type Atoms = { readonly asked: ReadonlyMap<string, AskedPath>; readonly exact: boolean }

/** Collects the compared values, path by path. */
export function atomsOf(conditions: readonly ASTNode[]): Atoms {
  const asked = new Map<string, AskedPath>()
  let exact = true
  const ask = (path: readonly string[], ...values: Json[]) => {
    const key = path.join('.')
    const known = asked.get(key) ?? { path, values: [] }
    known.values.push(...values)
    asked.set(key, known)
  }
  const inexact = () => {
    exact = false
  }
  const visitor: Visitor = { ask, inexact }
  for (const condition of conditions) visitTruth(condition, visitor)
  return { asked, exact }
}

type Visitor = { readonly ask: (path: readonly string[], ...values: Json[]) => void; readonly inexact: () => void }

/** Visits a boolean part. */
function visitTruth(node: ASTNode, visitor: Visitor): void {
  const path = pathOf(node)
  if (path !== undefined) return visitor.ask(path, true, false)
  if (node.op === '&&' || node.op === '||' || node.op === '?:') {
    for (const part of node.args) visitTruth(part, visitor)
  } else if (node.op === '!_') visitTruth(node.args, visitor)
  else if (isBinary(node)) visitComparison(node.op, node.args, visitor)
  else if (node.op === 'call' && node.args[0] === 'has') visitHas(node.args[1], visitor)
  else if (node.op !== 'value') visitOther(node, visitor)
}

function visitHas([asked]: readonly ASTNode[], { ask, inexact }: Visitor): void {
  const path = asked === undefined ? undefined : pathOf(asked)
  if (path === undefined) inexact()
  else ask(path)
}

function visitComparison(op: string, [left, right]: readonly [ASTNode, ASTNode], visitor: Visitor): void {
  const [path, values] = pathOf(left) === undefined ? [pathOf(right), valuesOf(left)] : [pathOf(left), valuesOf(right)]
  if (path === undefined || values === undefined) {
    for (const part of [left, right]) visitOther(part, visitor)
    return
  }
  const isWhole = op !== 'in' && (left.op === 'list' || right.op === 'list')
  const isOrder = op === '<' || op === '<=' || op === '>' || op === '>='
  const isHeld = op === 'in' && path.join('.') === 'tool.effects'
  const isText = isOrder && values.some((value) => typeof value === 'string')
  // Between two ordered words there are others, and the other elements of a list are not tried, so the result is not exact.
  if (isText || isWhole || (op === 'in' && right.op !== 'list' && !isHeld)) visitor.inexact()
  if (op === 'in' && right.op !== 'list') visitor.ask(path, ...values.map((value) => [value]), [])
  else visitor.ask(path, ...values)
}

/** Visits any other part: its literals are tried for its paths, without claiming to be complete. */
function visitOther(node: ASTNode, visitor: Visitor): void {
  visitor.inexact()
  const parts = partsOf(node)
  const paths = parts.map(pathOf).filter((path) => path !== undefined)
  const values = parts.flatMap((part) => valuesOf(part) ?? [])
  const isList = node.op === 'rcall' && (node.args[0] === 'exists' || node.args[0] === 'all')
  for (const path of paths) {
    if (isList) visitor.ask(path, [], ...values.map((value) => [value]), ['other'])
    else visitor.ask(path, ...values.flatMap(variantsOf))
  }
}

/** A text itself, and embedded in others, to test prefix, suffix and substring conditions. */
const variantsOf = (value: Json): Json[] =>
  typeof value === 'string' ? [value, `${value}x`, `x${value}`, `x${value}x`] : [value]

function partsOf(node: ASTNode): ASTNode[] {
  const inner = childrenOf(node)
  return [node, ...(pathOf(node) === undefined ? inner.flatMap(partsOf) : [])]
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === 'call') return node.args[1]
  if (node.op === 'rcall') return [node.args[1], ...node.args[2]]
  if (node.op === '!_' || node.op === '-_') return [node.args]
  if (node.op === 'list' || node.op === '?:' || node.op === '&&' || node.op === '||' || isBinary(node)) return node.args
  return []
}

/** The names of `args.a.b` or `args["a"]`; undefined for anything else, including a list element. */
export function pathOf(node: ASTNode): readonly string[] | undefined {
  if (node.op === 'id') return [node.args]
  if (node.op !== '.' && node.op !== '[]') return undefined
  const above = pathOf(node.args[0])
  const key = node.op === '.' ? node.args[1] : keyOf(node.args[1])
  return above === undefined || key === undefined ? undefined : [...above, key]
}

function keyOf(node: ASTNode): string | undefined {
  return node.op === 'value' && typeof node.args === 'string' ? node.args : undefined
}

/** The values of a literal or a list of literals. */
function valuesOf(node: ASTNode): Json[] | undefined {
  if (node.op === '-_') return valuesOf(node.args)?.map((value) => (typeof value === 'number' ? -value : value))
  if (node.op === 'list') {
    const inner = node.args.map(valuesOf)
    return inner.every((values) => values !== undefined) ? inner.flat() : undefined
  }
  if (node.op !== 'value') return undefined
  const value = node.args
  if (typeof value === 'bigint') return [Number(value)]
  return value === null || typeof value !== 'object' ? [value] : undefined
}
