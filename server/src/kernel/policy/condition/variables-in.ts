import type { ASTNode } from '@marcbachmann/cel-js'
import { type Variable, VARIABLES } from './type.ts'

/** The variables that a condition reads. The element names of `exists` and `all` may hide one; then it counts as read. */
export function variablesIn(node: ASTNode): ReadonlySet<Variable> {
  const found = new Set<Variable>()
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) visit(one)
    else if (isNode(part)) {
      if (part.op === 'id' && isVariable(part.args)) found.add(part.args)
      else visit(part.args)
    }
  }
  visit(node)
  return found
}

const isNode = (part: unknown): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part
const isVariable = (name: string): name is Variable => Object.hasOwn(VARIABLES, name)
