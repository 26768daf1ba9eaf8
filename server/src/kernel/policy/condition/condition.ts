import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js'
import { compileExpression } from './compile-expression.ts'
import type { ConditionFault, Evaluate } from './expression.ts'
import type { Scope } from './scope.ts'
import { ANY, type Type, type Variable, VARIABLES } from './type.ts'
import { Failure } from './value.ts'

/** A checked condition, compiled once. */
export type Condition = {
  readonly text: string
  readonly ast: ASTNode
  readonly run: Evaluate
  readonly reads: ReadonlySet<Variable>
}

type CheckedCondition =
  { readonly ok: true; readonly value: Condition } | { readonly ok: false; readonly faults: readonly ConditionFault[] }

// The library only parses. Checking and evaluating are done here, because its numbers from JSON are doubles that `in` does not
// find among integers, and its `||` ignores an error, where a missing key has to block.
const GRAMMAR = new Environment({
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 500, maxDepth: 40, maxListElements: 200, maxMapEntries: 50, maxCallArguments: 4 },
})

/** Checks a condition against the subset and, if given, the type of the tool's arguments. */
export function checkCondition(text: string, args: Type = ANY): CheckedCondition {
  const parsed = parse(text)
  if ('at' in parsed) return { ok: false, faults: [parsed] }
  const faults: ConditionFault[] = []
  const { type, run } = compileExpression(parsed.ast, {
    args,
    locals: [],
    fault: (fault) => faults.push(fault),
    compile: compileExpression,
  })
  if (faults.length === 0 && type.is !== 'bool' && type.is !== 'any') {
    faults.push({ at: 0, says: 'the condition is not true or false', instead: 'compare it with a value' })
  }
  if (faults.length > 0) return { ok: false, faults: faults.sort((a, b) => a.at - b.at) }
  return { ok: true, value: { text, ast: parsed.ast, run, reads: variablesIn(parsed.ast) } }
}

/** True, false, or why there is no result. Never throws. */
export function evaluate(condition: Condition, scope: Scope): boolean | Failure {
  scope.steps = 0
  try {
    const value = condition.run(scope)
    if (typeof value === 'boolean' || value instanceof Failure) return value
    return new Failure('the condition is neither true nor false')
  } catch {
    // The only possible error is a stack overflow on extremely deep nesting.
    return new Failure('the arguments are nested too deeply')
  }
}

function parse(text: string): { readonly ast: ASTNode } | ConditionFault {
  try {
    return { ast: GRAMMAR.parse(text).ast }
  } catch (error) {
    if (!(error instanceof ParseError))
      return { at: 0, says: 'not a condition', instead: 'write one as in docs/policy.md' }
    const at = error.range?.start ?? 0
    if (error.code === 'limit_exceeded') {
      return { at, says: 'the condition is too large', instead: 'split the rule into two' }
    }
    if (error.code === 'invalid_macro_argument') {
      return { at, says: 'a name is expected here', instead: 'write it as `args.items.exists(item, item == "x")`' }
    }
    const summary = `${error.summary.charAt(0).toLowerCase()}${error.summary.slice(1)}`
    return { at, says: `not a condition: ${summary}`, instead: 'correct the expression here' }
  }
}

/** The variables that a condition reads. The element names of `exists` and `all` may hide one; then it counts as read. */
function variablesIn(node: ASTNode): ReadonlySet<Variable> {
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
